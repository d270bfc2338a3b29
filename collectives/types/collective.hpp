#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

enum class Operation {
  barrier,
  broadcast,
  reduce,
  allreduce,
  allgather,
  reduce_scatter,
  gather,
  scatter,
  alltoall
};

/// "broadcast", "reduce_scatter", …
std::string to_string(Operation operation);

/// Whether its message is made of a block per rank.
bool has_blocks(Operation operation);

/// The blocks that a rank exchanges with each peer, in elements of one of its buffers.
struct BlockList {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
  bool operator==(const BlockList&) const = default;

  /// `count` elements for each of `ranks` ranks, one block behind the other.
  static BlockList equal(int ranks, std::size_t count);
};

/// A call of a collective as one rank makes it, all but the addresses: two calls that are equal
/// need the same steps.
struct Collective {
  Operation operation = Operation::barrier;
  Datatype type = Datatype::Kind::byte;
  std::size_t count =
      0;  ///< elements of broadcast, reduce, allreduce, and of this rank's own block elsewhere
  int root = 0;
  bool in_place = false;
  /// Of an all-to-all: all blocks of all ranks are equal. False of the v-form, in which a rank
  /// knows only the blocks that it sends or receives itself.
  bool equal_blocks = false;
  /// So many alike, from any roots, the program starts one behind the other while it computes.
  int stream_length = 1;
  std::optional<Reduction> reduction = {};
  BlockList input_blocks =
      {};  ///< of a buffer that holds a block per rank; empty for one that does not
  BlockList output_blocks = {};

  bool operator==(const Collective&) const = default;
};

/// For messages: "broadcast of 4096 bytes from rank 0".
std::string describe(const Collective& collective);

}  // namespace cuboid::detail
