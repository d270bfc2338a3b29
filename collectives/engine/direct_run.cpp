#include "collectives/engine/direct_run.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/memory_space.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The stages that a rank says it has reached. The end of round k is `ready` + 1 + k.
constexpr std::uint32_t ready = 1, refused = std::numeric_limits<std::uint32_t>::max();

std::optional<Combination> combination_of(Reduction::Kind kind) {
  using Kind = Reduction::Kind;
  switch (kind) {
    case Kind::sum: return Combination::sum;
    case Kind::product: return Combination::product;
    case Kind::minimum: return Combination::minimum;
    case Kind::maximum: return Combination::maximum;
    case Kind::logical_and: return Combination::logical_and;
    case Kind::logical_or: return Combination::logical_or;
    case Kind::logical_xor: return Combination::logical_xor;
    case Kind::bitwise_and: return Combination::bitwise_and;
    case Kind::bitwise_or: return Combination::bitwise_or;
    case Kind::bitwise_xor: return Combination::bitwise_xor;
    case Kind::average: return Combination::average;
    case Kind::minimum_location:
    case Kind::maximum_location:
    case Kind::user: break;
  }
  return std::nullopt;
}

std::optional<NumberType> number_type_of(Datatype type) {
  using Kind = Datatype::Kind;
  switch (type.kind()) {
    case Kind::int8: return NumberType::int8;
    case Kind::int16: return NumberType::int16;
    case Kind::int32: return NumberType::int32;
    case Kind::int64: return NumberType::int64;
    case Kind::uint8: return NumberType::uint8;
    case Kind::uint16: return NumberType::uint16;
    case Kind::uint32: return NumberType::uint32;
    case Kind::uint64: return NumberType::uint64;
    case Kind::float32: return NumberType::float32;
    case Kind::float64: return NumberType::float64;
    case Kind::complex64: return NumberType::complex64;
    case Kind::complex128: return NumberType::complex128;
    case Kind::float16: return NumberType::float16;
    case Kind::bfloat16: return NumberType::bfloat16;
    case Kind::byte:
    case Kind::long_double:
    case Kind::located:
    case Kind::user: break;
  }
  return std::nullopt;
}

}  // namespace

DirectRun::DirectRun(const DirectPlan& plan, Group& group, Transport& transport,
                     DeviceAccess& access)
    : plan_(plan), group_(group), transport_(transport), access_(access) {
  if (plan.combination) {
    combination_ = combination_of(*plan.combination);
    type_ = number_type_of(plan.type);
  }
  by_processes_ = std::ranges::any_of(group.world_ranks(),
                                      [&](int peer) { return !transport.same_process(peer); });
}

bool DirectRun::prepare(const std::byte* input, std::byte* output) {
  if (plan_.combination && (!combination_ || !type_)) return false;
  device_ = nullptr;
  uses_device_memory_ = false;
  std::optional<int> device, device_that_pinned;
  for (const DirectPlan::SharedSide* const side : {&plan_.given, &plan_.wanted}) {
    const bool in = side->begin.area == Area::input;
    const std::byte* const begin = (in ? input : output) + side->begin.offset;
    (side == &plan_.given ? given_ : wanted_) = const_cast<std::byte*>(begin);
    if (side->bytes == 0) continue;
    const MemorySpace space = memory_space_of_buffer(begin, side->bytes, in ? "input" : "output");
    if (side->only_here && space.kind == MemoryKind::pinned) {
      if (!device_that_pinned) device_that_pinned = space.device;
      continue;
    }
    if (space.kind != MemoryKind::device || (device && space.device != *device)) return false;
    // A device that loads an element at another address is lost.
    if (type_ && reinterpret_cast<std::uintptr_t>(begin) % bytes_of(*type_) != 0) return false;
    device = space.device;
    uses_device_memory_ = true;
  }
  if (!device) device = device_that_pinned;
  if (device) device_ = &CudaDevice::at(*CudaDriver::loaded(), *device);
  return true;
}

bool DirectRun::start(std::uint64_t call, OnStream after) {
  std::string reason;
  BoardOffer::Content content{};
  DirectOffer mine;
  mine.call_bytes = plan_.call_bytes;
  const bool offers = make_parts(mine, reason) && prepare_kernels(reason);
  if (offers) {
    static_assert(sizeof mine <= sizeof content && std::is_trivially_copyable_v<DirectOffer>);
    std::memcpy(content.data(), &mine, sizeof mine);
  } else {
    Refusal refusal;
    reason.copy(refusal.reason.data(), refusal.reason.size() - 1);
    static_assert(sizeof refusal <= sizeof content && std::is_trivially_copyable_v<Refusal>);
    std::memcpy(content.data(), &refusal, sizeof refusal);
    warn(group_.rank(), reason);
  }
  call_ = call;
  after_ = after;
  keeps_offer_ = !alone() && group_.board()->start_with_offer(call, content);
  lane_begun_ = false;
  if (!offers || !(alone() || keeps_offer_)) return false;
  if (uses_device_memory_) begin_lane();
  offers_.assign(static_cast<std::size_t>(group_.size()), {});
  reached_.assign(static_cast<std::size_t>(group_.size()), {});
  round_ = 0;
  enter(Phase::gathering);
  return true;
}

void DirectRun::begin_lane() {
  const CudaDevice::Current current(*device_);
  if (!lane_ || &lane_->device != device_) lane_.emplace(*device_);
  lane_->begin_after(after_);
  lane_->end_here();
  lane_begun_ = true;
}

void DirectRun::enter(Phase phase) {
  phase_ = phase;
  next_ = 0;
}

bool DirectRun::make_parts(DirectOffer& mine, std::string& reason) const {
  const auto make = [&](const DirectPlan::SharedSide& side, const std::byte* begin,
                        ReachablePart& part) {
    if (side.bytes == 0 || side.only_here) return true;
    const auto made = reachable_part(begin, side.bytes, by_processes_, reason);
    if (made) part = *made;
    return made.has_value();
  };
  return make(plan_.given, given_, mine.given) && make(plan_.wanted, wanted_, mine.wanted);
}

bool DirectRun::prepare_kernels(std::string& reason) {
  try {
    for (const auto& round : plan_.rounds) {
      for (const DirectPlan::DirectStep& step : round) {
        if (step.from.size() < 2) continue;
        const CudaDevice::Current current(*device_);
        kernels().prepare_fold(*combination_, *type_, static_cast<int>(step.from.size()));
      }
    }
  } catch (const Error& error) {
    reason = error.what();
    return false;
  }
  return true;
}

const DeviceKernels& DirectRun::kernels() {
  const Environment& environment = transport_.environment();
  return access_.kernels.try_emplace(device_, *device_, environment.nvrtc, environment.cache_folder)
      .first->second;
}

void DirectRun::warn(int rank, std::string_view reason) {
  const std::string text =
      fmt::format("{}'s buffers in a device's memory go through the host, which takes longer: {}",
                  group_.name(group_.world_rank(rank)), reason);
  const bool warns = group_.rank() == 0 && !std::exchange(access_.warned, true);
  warns ? transport_.logger().warn(text) : transport_.logger().debug(text);
}

DirectRun::DirectOutcome DirectRun::advance() {
  for (;;) {
    switch (phase_) {
      case Phase::idle: return DirectOutcome::done;
      case Phase::gathering: {
        const DirectOutcome outcome = take_offers();
        if (outcome != DirectOutcome::done) return outcome;
        // A rank that only receives, in the host's memory, touches the device only now: many such
        // calls are among hosts.
        if (device_ != nullptr && !lane_begun_) begin_lane();
        enter(Phase::preparing);
        break;
      }
      case Phase::preparing:
        if (!device_is_done()) return DirectOutcome::waits;
        reach_stage(ready);
        enter(Phase::agreeing);
        break;
      case Phase::agreeing:
        for (; next_ < group_.size(); ++next_) {
          if (!has_come()) return DirectOutcome::waits;
          if (next_ == group_.rank()) continue;
          const auto stage = group_.board()->stage_of(next_, call_);
          if (stage == refused) warn(next_, "it cannot open another rank's memory");
          if (!stage || stage == refused) return DirectOutcome::staged;
        }
        begin_round();
        enter(Phase::working);
        break;
      case Phase::working:
        if (!device_is_done()) return DirectOutcome::waits;
        reach_stage(stage_after_round());
        enter(Phase::meeting);
        break;
      case Phase::meeting:
        while (next_ < group_.size() && has_come()) ++next_;
        if (next_ < group_.size()) return DirectOutcome::waits;
        if (++round_ == plan_.rounds.size()) {
          end();
          return DirectOutcome::done;
        }
        begin_round();
        enter(Phase::working);
        break;
    }
  }
}

std::uint32_t DirectRun::stage_after_round() const {
  return ready + 1 + static_cast<std::uint32_t>(round_);
}

// An offer that is no longer kept is that of a rank which is done with the call.
bool DirectRun::has_come() const {
  if (next_ == group_.rank()) return true;
  const Board& board = *group_.board();
  if (phase_ == Phase::gathering) return board.has_started(next_, call_);
  const auto stage = board.stage_of(next_, call_);
  return !stage || *stage >= (phase_ == Phase::agreeing ? ready : stage_after_round());
}

bool DirectRun::awaits_others() const {
  return phase_ == Phase::gathering || phase_ == Phase::agreeing || phase_ == Phase::meeting;
}

bool DirectRun::device_is_done() const {
  return device_ == nullptr || lane_->done();
}

void DirectRun::reach_stage(std::uint32_t stage) {
  if (!alone()) group_.board()->reach_stage(call_, stage);
}

DirectRun::DirectOutcome DirectRun::take_offers() {
  for (; next_ < group_.size(); ++next_) {
    if (next_ == group_.rank()) continue;
    BoardOffer::Content content;
    switch (group_.board()->offer_of(next_, call_, content)) {
      case Board::OfferState::missing: return DirectOutcome::waits;
      case Board::OfferState::none: return DirectOutcome::staged;
      case Board::OfferState::made: break;
    }
    DirectOffer& its = offers_[static_cast<std::size_t>(next_)];
    std::memcpy(&its, content.data(), sizeof its);
    if (its.call_bytes == Refusal::mark) {
      Refusal refusal;
      std::memcpy(&refusal, content.data(), sizeof refusal);
      warn(next_, refusal.reason.data());
      return DirectOutcome::staged;
    }
  }
  for (next_ = 0; next_ < group_.size(); ++next_) {
    expected_ = plan_.call_bytes;
    if (next_ != group_.rank() && offers_[static_cast<std::size_t>(next_)].call_bytes != expected_)
      return DirectOutcome::disagrees;
  }
  return reach_all();
}

DirectRun::DirectOutcome DirectRun::reach_all() {
  std::string reason;
  for (const auto& round : plan_.rounds) {
    for (const DirectPlan::DirectStep& step : round) {
      const auto use = [&](const DirectPlan::SharedPlace& place) {
        if (place.rank == group_.rank()) return DirectOutcome::done;
        const auto rank = static_cast<std::size_t>(place.rank);
        const ReachablePart& part =
            place.which == DirectPlan::Which::given ? offers_[rank].given : offers_[rank].wanted;
        expected_ = place.offset + step.bytes;
        next_ = place.rank;
        if (expected_ > part.bytes) return DirectOutcome::disagrees;
        OpenedMemory::ReachedPart& there = reached_[rank][static_cast<std::size_t>(place.which)];
        if (there.data != nullptr) return DirectOutcome::done;
        const int peer = group_.world_rank(place.rank);
        const auto reached = access_.opened.reach(
            *device_, part,
            transport_.same_process(peer) ? std::nullopt : std::optional(transport_.process(peer)),
            reason);
        if (!reached) return DirectOutcome::staged;
        there = *reached;
        return DirectOutcome::done;
      };
      DirectOutcome outcome = use(step.to);
      for (const DirectPlan::SharedPlace& place : step.from) {
        if (outcome == DirectOutcome::done) outcome = use(place);
      }
      if (outcome == DirectOutcome::staged) {
        reach_stage(refused);
        warn(group_.rank(), reason);
      }
      if (outcome != DirectOutcome::done) return outcome;
    }
  }
  return DirectOutcome::done;
}

std::byte* DirectRun::at(const DirectPlan::SharedPlace& place) const {
  const bool given = place.which == DirectPlan::Which::given;
  if (place.rank == group_.rank()) return (given ? given_ : wanted_) + place.offset;
  return reached_[static_cast<std::size_t>(place.rank)][static_cast<std::size_t>(place.which)]
             .data +
         place.offset;
}

void DirectRun::begin_round() {
  const auto& steps = plan_.rounds[round_];
  if (steps.empty()) return;
  const CudaDevice::Current current(*device_);
  std::vector<const void*> from;
  for (const DirectPlan::DirectStep& step : steps) {
    if (step.from.size() == 1) {
      // On a single rank in place, a contribution is its result.
      if (at(step.from.front()) != at(step.to))
        lane_->stream.copy(at(step.from.front()), at(step.to), step.bytes);
      continue;
    }
    from.clear();
    for (const DirectPlan::SharedPlace& place : step.from) from.push_back(at(place));
    kernels().fold(lane_->stream, *combination_, *type_, from, at(step.to),
                   step.bytes / plan_.type.bytes());
  }
  lane_->end_here();
}

void DirectRun::end() noexcept {
  // Before, the lane only waits for the program's own work.
  if ((phase_ == Phase::working || phase_ == Phase::meeting) && lane_) lane_->wait();
  phase_ = Phase::idle;
  reached_.clear();
  if (std::exchange(keeps_offer_, false)) group_.board()->end_offer(call_);
}

}  // namespace cuboid::detail
