#include "collectives/engine/device_staging.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

/// Where a buffer lies, as far as a schedule touches it.
MemorySpace space_of(const std::byte* buffer, const Footprint& footprint, const char* name) {
  if (buffer == nullptr || footprint.empty()) return {};
  const ByteRange hull = footprint.hull();
  return memory_space_of_buffer(buffer + hull.begin, hull.end - hull.begin, name);
}

/// The range of addresses that a footprint covers in a buffer.
std::pair<std::byte*, std::byte*> addresses(const std::byte* buffer, const Footprint& footprint) {
  const ByteRange hull = footprint.hull();
  auto* const bytes = const_cast<std::byte*>(buffer);
  return {bytes + hull.begin, bytes + hull.end};
}

MemoryLines line(const std::byte* data, std::size_t bytes, bool on_device) {
  return {const_cast<std::byte*>(data), bytes, on_device};
}

CuStream handle(OnStream stream) {
  return static_cast<CuStream>(stream.stream());
}

}  // namespace

bool DeviceStaging::StagedSide::done() const {
  return !used || lane->done();
}

void DeviceStaging::StagedSide::wait() noexcept {
  if (!used) return;
  lane->wait();
  used = false;
}

std::byte* DeviceStaging::StagedSide::staged(const std::byte* address) const {
  if (!block) return const_cast<std::byte*>(address);
  // The address may lie before the part, so integers are added instead of pointers.
  const auto distance =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin);
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(block->data()) + distance);
}

DeviceStaging::DeviceStaging(const Schedule& schedule, bool in_place)
    : input_footprint_(footprint_of(schedule, Area::input)),
      output_footprint_(footprint_of(schedule, Area::output)),
      plan_(staging_plan(schedule, input_footprint_, output_footprint_, in_place)) {
  written_.reserve(plan_.results.size());
}

DeviceStaging::~DeviceStaging() {
  end();
}

void DeviceStaging::end() {
  for (StagedSide* const side : {&input_, &output_}) {
    side->wait();
    side->block.reset();
  }
}

DeviceStaging::Addresses DeviceStaging::begin(const std::byte* input, std::byte* output,
                                              OnStream after) {
  end();
  of_input_.begun = of_input_.come = of_content_.begun = of_content_.come = 0;
  const MemorySpace from = space_of(input, input_footprint_, "input");
  const MemorySpace to = space_of(output, output_footprint_, "output");
  if (!from.on_device() && !to.on_device()) {
    if (after.given()) wait_for_stream(handle(after));
    return {input, output};
  }
  auto [input_begin, input_end] = addresses(input, input_footprint_);
  auto [output_begin, output_end] = addresses(output, output_footprint_);
  const bool overlap =
      from.on_device() && from == to && input_begin < output_end && output_begin < input_end;
  if (overlap) {
    output_begin = std::min(input_begin, output_begin);
    output_end = std::max(input_end, output_end);
  }
  if (to.on_device())
    enter(output_, to, output_begin, static_cast<std::size_t>(output_end - output_begin), after);
  if (from.on_device() && !overlap)
    enter(input_, from, input_begin, static_cast<std::size_t>(input_end - input_begin), after);
  const StagedSide& reads = overlap ? output_ : input_;
  copy_to_host(reads, input, plan_.input.batches, of_input_);
  copy_to_host(output_, output, plan_.content.batches, of_content_);
  // What the steps write may then be what others have yet to copy; and no copy tells when the
  // program has done with memory that the steps use themselves.
  at_once_ = overlap || (input_.used && !input_.block) || (output_.used && !output_.block);
  all_have_come_ = false;
  writers_left_ = plan_.writers;
  written_.clear();
  next_written_ = 0;
  for (const StagedSide* const side : {&input_, &output_}) {
    if (!side->used) continue;
    const CudaDevice::Current current(side->lane->device);
    side->lane->end_here();
  }
  output_buffer_ = output;
  return {reads.staged(input), output_.staged(output)};
}

bool DeviceStaging::done() const {
  return input_.done() && output_.done();
}

bool DeviceStaging::CopiesToHost::progress() {
  if (come == begun) return true;
  const CudaDevice::Current current(*device);
  while (come < begun && ended[come].done()) ++come;
  return come == begun;
}

bool DeviceStaging::progress() {
  const bool input = of_input_.progress(), content = of_content_.progress();
  all_have_come_ = input && content && done();
  return all_have_come_;
}

bool DeviceStaging::has_arrived(StepId step) const {
  if (at_once_) return all_have_come_;
  return of_input_.has(plan_.input.needed[step]) && of_content_.has(plan_.content.needed[step]);
}

void DeviceStaging::note_complete(StepId step) noexcept {
  for (std::uint32_t i = plan_.first_result[step]; i < plan_.first_result[step + 1]; ++i) {
    const std::uint32_t batch = plan_.written[i];
    if (--writers_left_[batch] == 0) written_.push_back(batch);
  }
}

void DeviceStaging::copy_back() {
  if (next_written_ == written_.size()) return;
  const CudaDevice::Current current(output_.lane->device);
  for (; next_written_ < written_.size(); ++next_written_) {
    for (const ByteRange& range : plan_.results[written_[next_written_]]) {
      std::byte* const to = output_buffer_ + range.begin;
      const std::size_t bytes = range.end - range.begin;
      output_.lane->stream.copy(line(output_.staged(to), bytes, false), line(to, bytes, true),
                                bytes, 1);
    }
  }
}

void DeviceStaging::end_copy_back() {
  copy_back();
  const CudaDevice::Current current(output_.lane->device);
  output_.lane->end_here();
}

void DeviceStaging::hold(OnStream stream) const {
  if (!output_.used) return;
  const CudaDevice& device = output_.lane->device;
  const CudaDevice::Current current(device);
  device.check(device.call().stream_waits(handle(stream), output_.lane->ended.get(), 0),
               "cuStreamWaitEvent");
}

std::string_view DeviceStaging::device() const {
  return (output_.used ? output_ : input_).lane->device.name();
}

void DeviceStaging::enter(StagedSide& side, MemorySpace space, std::byte* begin, std::size_t bytes,
                          OnStream after) {
  const CudaDevice& device = CudaDevice::at(*CudaDriver::loaded(), space.device);
  const CudaDevice::Current current(device);
  if (!side.lane || &side.lane->device != &device) side.lane.emplace(device);
  if (space.kind == MemoryKind::device) side.block.emplace(device, bytes);
  side.begin = begin;
  side.used = true;
  side.lane->begin_after(after);
}

void DeviceStaging::copy_to_host(const StagedSide& side, const std::byte* buffer,
                                 const CopyBatches& batches, CopiesToHost& copies) {
  if (!side.block) return;
  const CudaDevice& device = side.lane->device;
  const CudaDevice::Current current(device);
  if (copies.device != &device) copies.ended.clear();
  copies.device = &device;
  while (copies.ended.size() < batches.size()) copies.ended.emplace_back(device);
  for (; copies.begun < batches.size(); ++copies.begun) {
    for (const ByteRange& range : batches[copies.begun]) {
      const std::byte* const from = buffer + range.begin;
      const std::size_t bytes = range.end - range.begin;
      side.lane->stream.copy(line(from, bytes, true), line(side.staged(from), bytes, false), bytes,
                             1);
    }
    side.lane->stream.record(copies.ended[copies.begun]);
  }
}

}  // namespace cuboid::detail
