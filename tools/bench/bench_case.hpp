#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include "collectives/selection/selection.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// Throws Error(invalid_argument) naming --root if it is not one of `ranks` ranks.
void require_root(int root, int ranks);

/// A call to measure.
struct BenchCall {
  Operation operation = Operation::barrier;
  Datatype type = Datatype::Kind::float64;
  std::size_t bytes = 0;  ///< of the message; see BenchCase::bytes()
  int root = 0;
  bool in_place = false;
  bool v_form = false;  ///< with a list of the blocks' lengths, which are equal
};

/// Elements of the message: whole ones, and as many for every rank where it has blocks.
std::size_t message_count(const BenchCall& call, int ranks);
bool reduces(Operation operation);

/// A collective with its own buffers, which Cuboid or MPI can run. Reductions are sums; of an own
/// type, of its bytes. All ranks of a group make equal cases.
class BenchCase {
 public:
  /// Throws Error(invalid_argument) for a root outside the group and where the type cannot be
  /// summed.
  BenchCase(Communicator communicator, const BenchCall& call);

  /// The message: all that a broadcast's root sends, a reduction combines, or all blocks of all
  /// ranks together. Rounded up to whole elements, and to one block for every rank.
  std::size_t bytes() const { return count_ * call_.type.bytes(); }
  /// The algorithm that Cuboid chose.
  std::string algorithm() const;
  /// The algorithms that Cuboid could choose, the fastest by the model first. Not for gather and
  /// scatter.
  std::vector<Choice> choices() const;
  /// What the models say of one of them; nullopt if it is none. Prices all; not collective.
  std::optional<double> predicted_seconds(std::string_view algorithm) const;

  /// Fills the input with known elements and the output with others. Not collective.
  void fill();
  void run();
  Request start();
  CollectivePlan plan() const;
  /// The number of wrong elements in this rank's output after fill() and one run. Not collective.
  std::uint64_t errors() const;

  const Communicator& communicator() const { return communicator_; }
  const BenchCall& call() const { return call_; }
  std::size_t count() const { return count_; }  ///< elements of the message
  std::size_t block() const { return block_; }  ///< elements of a rank's block
  const Buffer& input() const { return input_; }
  const Buffer& output() const { return output_; }
  /// Whether input and output are one memory on this rank.
  bool shares_memory() const;

 private:
  bool is_root() const { return communicator_.rank() == call_.root; }

  Communicator communicator_;
  BenchCall call_;
  std::size_t block_ = 0;  ///< elements of a rank's block
  std::size_t count_ = 0;  ///< elements of the message
  std::vector<std::byte> input_memory_;
  std::vector<std::byte> output_memory_;
  Buffer input_;
  Reduction sum_;
  std::vector<std::size_t> lengths_;  ///< of the blocks, by rank
  Buffer output_;  ///< in place, it and the input are one memory, or one is part of the other
};

}  // namespace cuboid::detail::tools
