#pragma once

#include <cuboid/on_stream.hpp>

#include "collectives/engine/device_lane.hpp"
#include "collectives/node/board.hpp"
#include "collectives/schedules/direct_plan.hpp"
#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"
#include "devices/kernels/device_kernels.hpp"
#include "devices/memory/reachable_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// What a rank keeps for all its runs on devices: allocations of others, and kernels.
struct DeviceAccess {
  OpenedMemory opened;
  std::map<const CudaDevice*, DeviceKernels> kernels = {};
  bool warned = false;     ///< that buffers in devices' memory are staged
  std::uint64_t runs = 0;  ///< that went from device to device
};

/// Runs a DirectPlan: data go from device to device, and are combined there. The ranks agree on it
/// in each call. On the group's board each offers where its buffers lie. A rank whose buffers are
/// not in a device's memory starts the call without an offer, a rank that cannot open another's
/// memory refuses, and then all ranks stage this call. A rank is ready when its buffers are: the
/// work that the call comes after is done. All ranks begin when all are ready. They meet again
/// after each round; so nobody returns while others still read its memory.
///
/// One object serves all runs of an execution, one at a time.
class DirectRun {
 public:
  DirectRun(const DirectPlan& plan, Group& group, Transport& transport, DeviceAccess& access);
  ~DirectRun() { end(); }
  DirectRun(const DirectRun&) = delete;
  DirectRun& operator=(const DirectRun&) = delete;

  /// Finds where the buffers of the next run lie. Returns true if the run can make an offer. Throws
  /// Error(invalid_argument) as memory_space_of_buffer().
  bool prepare(const std::byte* input, std::byte* output);
  /// Makes the offer for the group's collective of this number. Returns false if the run has to be
  /// staged at once. Throws Error(io) or Error(out_of_memory) if a device fails; so does advance().
  bool start(std::uint64_t call, OnStream after);

  enum class DirectOutcome { waits, staged, done, disagrees };
  /// Goes on as far as possible.
  DirectOutcome advance();
  /// The rank with which this one disagrees about the call, and the bytes expected from it.
  int disagreeing_rank() const { return next_; }
  std::size_t expected_bytes() const { return expected_; }

  /// True if the run waits for other ranks, not for this rank's device.
  bool awaits_others() const;
  bool awaits_device() const { return phase_ == Phase::preparing || phase_ == Phase::working; }
  /// The first rank that is waited for.
  int awaited() const { return next_; }
  /// True if that rank has done its part.
  bool has_come() const;
  /// A stream whose work at this time is what the run comes after; none: the default stream.
  OnStream comes_after() const { return lane_begun_ ? on(lane_->stream.get()) : after_; }
  std::string device() const { return lane_begun_ ? lane_->device.name() : "no device"; }

  /// Ends the run: waits for this rank's work on its device, and withdraws the offer.
  void end() noexcept;

 private:
  enum class Phase { idle, gathering, preparing, agreeing, working, meeting };
  /// What a rank tells the others of itself.
  struct DirectOffer {
    std::uint64_t call_bytes = 0;
    ReachablePart given;
    ReachablePart wanted;
  };
  /// In place of an offer: the reason why there is none.
  struct Refusal {
    static constexpr std::uint64_t mark = ~std::uint64_t{0};
    std::uint64_t marked = mark;
    std::array<char, BoardOffer::most_bytes - sizeof(mark)> reason = {};
  };

  bool make_parts(DirectOffer& mine, std::string& reason) const;
  bool prepare_kernels(std::string& reason);
  const DeviceKernels& kernels();
  void warn(int rank, std::string_view reason);
  void begin_lane();
  void enter(Phase phase);
  DirectOutcome take_offers();
  DirectOutcome reach_all();
  void begin_round();
  std::byte* at(const DirectPlan::SharedPlace& place) const;
  bool device_is_done() const;
  void reach_stage(std::uint32_t stage);
  std::uint32_t stage_after_round() const;
  bool alone() const { return group_.size() == 1; }

  const DirectPlan& plan_;
  Group& group_;
  Transport& transport_;
  DeviceAccess& access_;
  std::optional<Combination> combination_;
  std::optional<NumberType> type_;
  bool by_processes_ = false;  // whether a rank is another process
  std::byte* given_ = nullptr;
  std::byte* wanted_ = nullptr;
  bool uses_device_memory_ = false;     // of its own
  const CudaDevice* device_ = nullptr;  // of the buffers, or has pinned them; none without buffers
  std::optional<DeviceLane> lane_;      // kept for later runs
  bool lane_begun_ = false;             // for this run
  Phase phase_ = Phase::idle;
  OnStream after_;
  std::uint64_t call_ = 0;
  bool keeps_offer_ = false;
  std::vector<DirectOffer> offers_;                                // by rank
  std::vector<std::array<OpenedMemory::ReachedPart, 2>> reached_;  // by rank: given and wanted
  std::size_t round_ = 0;
  int next_ = 0;  // the ranks before this one have done their part
  std::size_t expected_ = 0;
};

}  // namespace cuboid::detail
