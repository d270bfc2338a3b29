#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include "collectives/selection/selection.hpp"
#include "collectives/types/collective.hpp"
#include "tools/measurement/bench_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// Throws Error(invalid_argument) naming --root if `root` is not one of `ranks` ranks.
void require_root(int root, int ranks);

/// A call to measure.
struct BenchCall {
  Operation operation = Operation::barrier;
  Datatype type = Datatype::Kind::float64;
  std::size_t bytes = 0;  ///< bytes of the message; see BenchCase::bytes()
  int root = 0;
  bool in_place = false;
  bool v_form = false;  ///< the call passes a list of the blocks' lengths, which are equal
  BenchMemory memory = BenchMemory::host;
};

/// The number of elements of the message: whole elements, and equally many for every rank if the
/// message consists of blocks.
std::size_t message_count(const BenchCall& call, int ranks);
bool reduces(Operation operation);

/// A collective with its own buffers, which Cuboid or MPI can run. Reductions are sums; a
/// user-defined type is summed byte by byte. All ranks of a group make equal cases.
class BenchCase {
 public:
  /// Throws Error(invalid_argument) if the root is outside the group or the type cannot be summed.
  BenchCase(Communicator communicator, const BenchCall& call);

  /// Bytes of the message: what a broadcast's root sends, what a reduction combines, or all blocks
  /// of all ranks together. Rounded up to whole elements, and to one block for every rank.
  std::size_t bytes() const { return count_ * call_.type.bytes(); }
  /// The algorithm that Cuboid chose.
  std::string algorithm() const;
  /// The collectives of this rank that have gone from device to device.
  std::uint64_t runs_from_device_to_device() const;
  /// The algorithms that Cuboid could choose, ordered by predicted time. Not for gather and
  /// scatter.
  std::vector<Choice> choices() const;
  /// The models' prediction for an algorithm; nullopt if Cuboid cannot choose it. Prices all
  /// algorithms; not collective.
  std::optional<double> predicted_seconds(std::string_view algorithm) const;

  /// Fills the input with known elements and the output with different ones. Not collective.
  void fill();
  void run();
  Request start();
  CollectivePlan plan() const;
  /// The number of wrong elements in this rank's output after fill() and one run. Not collective.
  std::uint64_t errors();

  const Communicator& communicator() const { return communicator_; }
  const BenchCall& call() const { return call_; }
  std::size_t count() const { return count_; }  ///< elements of the message
  std::size_t block() const { return block_; }  ///< elements of a rank's block
  const Buffer& input() const { return input_; }
  const Buffer& output() const { return output_; }
  /// True if input and output are the same memory on this rank.
  bool shares_memory() const;

 private:
  bool is_root() const { return communicator_.rank() == call_.root; }
  void place_buffers();

  Communicator communicator_;
  BenchCall call_;
  std::size_t block_ = 0;  ///< elements of a rank's block
  std::size_t count_ = 0;  ///< elements of the message
  std::vector<std::byte> input_memory_;
  std::vector<std::byte> output_memory_;
  Buffer host_input_;  ///< the elements in the host's memory
  Buffer host_output_;
  std::optional<BenchBuffer> placed_input_;  ///< if any rank's buffers lie on devices
  std::optional<BenchBuffer> placed_output_;
  Buffer input_;
  Reduction sum_;
  std::vector<std::size_t> lengths_;  ///< the blocks' lengths, by rank
  Buffer output_;  ///< in place, the input is this buffer or a part of it, or this buffer is a part
                   ///< of the input
};

}  // namespace cuboid::detail::tools
