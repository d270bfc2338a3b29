#pragma once

#include <cuboid/communicator.hpp>

#include "tools/measurement/bench_memory.hpp"
#include "tools/point_to_point/channel.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail::tools {

/// A rank's buffers for messages with any other: for those in which it is the first of the two, and
/// sends first, and for those in which it is the second. They may lie in different memories.
class PairBuffers {
 public:
  PairBuffers(const Communicator& world, BenchMemory memory, std::size_t bytes);

  Memory out(bool first) { return (there(first) ? on_device_ : on_host_).first(bytes_); }
  Memory in(bool first) { return (there(first) ? on_device_ : on_host_).last(bytes_); }
  std::size_t bytes() const { return bytes_; }

 private:
  bool there(bool first) const { return lies_on_device(memory_, first); }

  BenchMemory memory_;
  std::size_t bytes_;
  std::vector<std::byte> host_memory_;
  std::optional<BenchBuffer> device_memory_;
  std::optional<BenchBuffer> pinned_memory_;
  Memory on_host_;
  Memory on_device_;
};

}  // namespace cuboid::detail::tools
