#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>

#include "collectives/types/collective.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace cuboid::detail {

/// Checks of a collective's arguments that need no communication. Each check throws
/// Error(invalid_argument), which names the rank, the operation, the value and the remedy.

void require_root(const Communicator& communicator, Operation operation, int root);

/// Checks that `peer` is a rank of the communicator.
/// @param operation  in words
void require_peer(const Communicator& communicator, std::string_view operation, int peer);

void require_same_type(const Communicator& communicator, Operation operation,
                       const ConstBuffer& input, const Buffer& output);

/// Checks that the buffer called `name` has `expected` elements.
void require_count(const Communicator& communicator, Operation operation, const char* name,
                   std::size_t actual, std::size_t expected);

void require_defined(const Communicator& communicator, Operation operation,
                     const Reduction& reduction, Datatype type);

/// True if two arrays share memory.
bool overlap(const void* one, std::size_t one_bytes, const void* other, std::size_t other_bytes);

/// Returns true if the call is in place: the smaller buffer lies at `place_offset_bytes` in the
/// larger one and is `place_bytes` long. Otherwise throws if input and output overlap.
bool in_place(const Communicator& communicator, Operation operation, const ConstBuffer& input,
              const Buffer& output, std::size_t place_offset_bytes, std::size_t place_bytes);

/// The blocks of all ranks inside a buffer of `buffer_count` elements. Checks that counts and
/// displacements are given for all ranks and that all blocks lie inside the buffer. If
/// `displacements` is empty, the blocks follow one another.
BlockList require_blocks(const Communicator& communicator, Operation operation, const char* name,
                         std::size_t buffer_count, std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements);

}  // namespace cuboid::detail
