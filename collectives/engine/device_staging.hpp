#pragma once

#include <cuboid/on_stream.hpp>

#include "collectives/engine/device_lane.hpp"
#include "collectives/schedules/footprint.hpp"
#include "devices/memory/memory_space.hpp"
#include "devices/memory/pinned_block.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Lets a schedule, whose steps work on the host's memory, run on buffers in devices' memory. What
/// the steps read is copied to pinned memory before the first step; what they have written is
/// copied to the device after the last step. Bytes that no step writes stay as they are. Copies run
/// beside the host's work: the engine asks if they are done. One object serves all runs of an
/// execution, one at a time.
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
  /// True if the copies that were begun are done.
  bool done() const;
  /// Begins to copy what the run has written to the device.
  void begin_copy_back();
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

  static void enter(StagedSide& side, MemorySpace space, std::byte* begin, std::size_t bytes,
                    OnStream after);
  static void copy_to_host(const StagedSide& side, const std::byte* buffer,
                           const std::vector<ByteRange>& ranges);

  Footprint input_footprint_;
  Footprint output_footprint_;
  std::vector<ByteRange> output_content_;  // what the steps read of the output's content
  StagedSide input_;
  StagedSide output_;
  std::byte* output_buffer_ = nullptr;
};

}  // namespace cuboid::detail
