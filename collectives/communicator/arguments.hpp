#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>

#include "collectives/types/collective.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace cuboid::detail {

/// Checks of a collective's arguments that need no communication. Each throws
/// Error(invalid_argument) naming the rank, the operation, the value and the remedy.

void require_root(const Communicator& communicator, Operation operation, int root);

/// `peer` must be a rank of the communicator. `operation` in words.
void require_peer(const Communicator& communicator, std::string_view operation, int peer);

void require_same_type(const Communicator& communicator, Operation operation,
                       const ConstBuffer& input, const Buffer& output);

/// `buffer` must hold exactly `count` elements.
void require_count(const Communicator& communicator, Operation operation, const char* name,
                   std::size_t actual, std::size_t expected);

void require_defined(const Communicator& communicator, Operation operation,
                     const Reduction& reduction, Datatype type);

/// Returns whether the call is in place, i.e. `input` starts at `place` and has its length.
/// Otherwise input and output must not overlap.
bool in_place(const Communicator& communicator, Operation operation, const ConstBuffer& input,
              const Buffer& output, std::size_t place_offset_bytes, std::size_t place_bytes);

/// One block per rank inside a buffer of `buffer_count` elements: counts and displacements must be
/// given for all ranks (empty displacements: adjacent blocks) and stay inside.
BlockList require_blocks(const Communicator& communicator, Operation operation, const char* name,
                         std::size_t buffer_count, std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements);

}  // namespace cuboid::detail
