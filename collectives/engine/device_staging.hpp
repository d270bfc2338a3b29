#pragma once

#include <cuboid/on_stream.hpp>

#include "collectives/engine/device_lane.hpp"
#include "collectives/schedules/footprint.hpp"
#include "collectives/schedules/staging_plan.hpp"
#include "devices/memory/memory_space.hpp"
#include "devices/memory/pinned_block.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Lets a schedule, whose steps work on the host's memory, run on buffers in devices' memory. What
/// the steps read is copied to pinned memory; what they have written is copied to the device. Bytes
/// that no step writes stay as they are. Copies run beside the steps (StagingPlan): the engine asks
/// before each step if its data have come, and tells which steps are complete. One object serves
/// all runs of an execution, one at a time.
///
/// Functions throw Error(io) or Error(out_of_memory) if a device fails.
class DeviceStaging {
 public:
  /// @param in_place  whether contributions lie in the output
  DeviceStaging(const Schedule& schedule, bool in_place);
  /// Waits for the copies that are under way.
  ~DeviceStaging();
  DeviceStaging(const DeviceStaging&) = delete;
  DeviceStaging& operator=(const DeviceStaging&) = delete;

  /// The addresses that the steps of a run work on.
  struct Addresses {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
  };

  /// Begins a run on the caller's buffers: finds where they lie, and begins to copy what lies on
  /// devices to the host, after the work of the stream `after`, or of the default stream if none is
  /// given. Throws Error(invalid_argument) as memory_space_of_buffer().
  Addresses begin(const std::byte* input, std::byte* output, OnStream after);
  /// True if this run's steps must wait for copies to the host, or for the program's work on a
  /// device.
  bool waits() const { return input_.used || output_.used; }
  /// True if something of this run must be copied to a device.
  bool copies_back() const {
    return output_.block.has_value() && !output_footprint_.written.empty();
  }
  /// Looks which copies to the host are done. Returns true if all are.
  bool progress();
  /// True if the data that a step reads have come, as far as progress() knows.
  bool has_arrived(StepId step) const;
  /// Notes that a step is complete, if the run copies back.
  void note_complete(StepId step) noexcept;
  /// Begins to copy to the device what no step will write any more.
  void copy_back();
  /// The same when all steps are complete; done() then tells of the copies to the device.
  void end_copy_back();
  /// True if all copies that were begun are done.
  bool done() const;
  /// Lets work that is put into `stream` from now on wait for the copies that were begun.
  void hold(OnStream stream) const;
  /// Ends a run whose copies are done: gives the pinned memory back.
  void end();
  /// The device that the copies are for: "device 0 (NVIDIA H200)".
  std::string_view device() const;

 private:
  /// A part of a device's memory and its place in pinned memory.
  struct StagedSide {
    std::optional<DeviceLane> lane;    ///< for its copies; kept for later runs
    std::optional<PinnedBlock> block;  ///< none for memory that the host may touch
    std::byte* begin = nullptr;        ///< the beginning of the part
    bool used = false;                 ///< whether the run has copies, or waits for the device

    bool done() const;
    void wait() noexcept;
    /// Where an address of the part, or of the caller's buffer around it, is staged.
    std::byte* staged(const std::byte* address) const;
  };

  /// The copies of a part to the host in this run.
  struct CopiesToHost {
    std::vector<CudaEvent> ended;  ///< by batch; kept for later runs on the same device
    const CudaDevice* device = nullptr;
    std::size_t begun = 0, come = 0;  ///< batches

    /// Returns true if all have come.
    bool progress();
    bool has(std::size_t batches) const { return begun == 0 || come >= batches; }
  };

  static void enter(StagedSide& side, MemorySpace space, std::byte* begin, std::size_t bytes,
                    OnStream after);
  static void copy_to_host(const StagedSide& side, const std::byte* buffer,
                           const CopyBatches& batches, CopiesToHost& copies);

  Footprint input_footprint_;
  Footprint output_footprint_;
  StagingPlan plan_;
  StagedSide input_;
  StagedSide output_;
  std::byte* output_buffer_ = nullptr;
  CopiesToHost of_input_, of_content_;
  bool at_once_ = false;  // no step runs before all copies to the host are done
  bool all_have_come_ = false;
  std::vector<std::uint32_t> writers_left_;  // by batch of the results
  std::vector<std::uint32_t> written_;       // batches of the results that can be copied, in order
  std::size_t next_written_ = 0;
};

}  // namespace cuboid::detail
