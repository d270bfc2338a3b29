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
      output_content_(in_place ? output_footprint_.read : output_footprint_.only_read()) {}

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
  copy_to_host(reads, input, input_footprint_.read);
  copy_to_host(output_, output, output_content_);
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

void DeviceStaging::begin_copy_back() {
  const CudaDevice::Current current(output_.lane->device);
  for (const ByteRange& range : output_footprint_.written) {
    std::byte* const to = output_buffer_ + range.begin;
    const std::size_t bytes = range.end - range.begin;
    output_.lane->stream.copy(line(output_.staged(to), bytes, false), line(to, bytes, true), bytes,
                              1);
  }
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
                                 const std::vector<ByteRange>& ranges) {
  if (!side.block) return;
  const CudaDevice::Current current(side.lane->device);
  for (const ByteRange& range : ranges) {
    const std::byte* const from = buffer + range.begin;
    const std::size_t bytes = range.end - range.begin;
    side.lane->stream.copy(line(from, bytes, true), line(side.staged(from), bytes, false), bytes,
                           1);
  }
}

}  // namespace cuboid::detail
