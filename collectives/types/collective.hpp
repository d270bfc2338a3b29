#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include "collectives/types/block_list.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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
  alltoall,
  scan,
  exscan
};

/// All operations.
inline constexpr std::array every_operation = {
    Operation::barrier,   Operation::broadcast,      Operation::reduce, Operation::allreduce,
    Operation::allgather, Operation::reduce_scatter, Operation::gather, Operation::scatter,
    Operation::alltoall,  Operation::scan,           Operation::exscan};

/// The operation's name, such as "broadcast" or "reduce_scatter".
std::string to_string(Operation operation);

/// The operation of this name or of MPI's name: "bcast" is a broadcast. nullopt if there is none.
std::optional<Operation> find_operation(std::string_view name);

/// True if the operation's message consists of one block per rank.
bool has_blocks(Operation operation);

/// One rank's call of a collective, without the addresses of its buffers. Equal calls have equal
/// schedules.
struct Collective {
  Operation operation = Operation::barrier;
  Datatype type = Datatype::Kind::byte;
  /// The elements of the message, or of this rank's block if has_blocks(operation).
  std::size_t count = 0;
  int root = 0;
  bool in_place = false;
  /// For an all-to-all: all blocks of all ranks are equal. False for the v-form, in which a rank
  /// knows only its own blocks.
  bool equal_blocks = false;
  /// A hint: the number of identical broadcasts kept in flight (see plan_broadcast()).
  int stream_length = 1;
  std::optional<Reduction> reduction = {};
  BlockList input_blocks = {};  ///< empty for a buffer without a block per rank
  BlockList output_blocks = {};

  bool operator==(const Collective&) const = default;
};

/// The call in words for error texts: "broadcast of 4096 bytes from rank 0".
std::string describe(const Collective& collective);

}  // namespace cuboid::detail
