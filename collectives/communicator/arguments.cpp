#include "collectives/communicator/arguments.hpp"

#include <cuboid/error.hpp>

#include <cstdint>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

template <class... Arguments>
[[noreturn]] void refuse(const Communicator& communicator, Operation operation,
                         fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: {}: {}", communicator.rank(), to_string(operation),
                          fmt::format(format, std::forward<Arguments>(arguments)...)));
}

// As a number: where memory is missing or longer than there is, no pointer to its end exists.
std::uintptr_t address(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

}  // namespace

void require_root(const Communicator& communicator, Operation operation, int root) {
  if (root >= 0 && root < communicator.size()) return;
  refuse(communicator, operation, "root {} is not a rank of this communicator; give 0 to {}", root,
         communicator.size() - 1);
}

void require_peer(const Communicator& communicator, std::string_view operation, int peer) {
  if (peer >= 0 && peer < communicator.size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: {}: rank {} is not in this communicator; give 0 to {}",
                          communicator.rank(), operation, peer, communicator.size() - 1));
}

void require_same_type(const Communicator& communicator, Operation operation,
                       const ConstBuffer& input, const Buffer& output) {
  if (input.type == output.type) return;
  refuse(communicator, operation, "input is of type {}, output of {}; give both the same",
         to_string(input.type), to_string(output.type));
}

void require_count(const Communicator& communicator, Operation operation, const char* name,
                   std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  refuse(communicator, operation, "{} has {} elements where {} are needed", name, actual, expected);
}

void require_defined(const Communicator& communicator, Operation operation,
                     const Reduction& reduction, Datatype type) {
  if (reduction.defined_for(type)) return;
  refuse(communicator, operation, "{} is not defined for {}; use Reduction::user",
         to_string(reduction.kind()), to_string(type));
}

bool overlap(const void* one, std::size_t one_bytes, const void* other, std::size_t other_bytes) {
  return one_bytes > 0 && other_bytes > 0 && address(one) < address(other) + other_bytes &&
         address(other) < address(one) + one_bytes;
}

bool in_place(const Communicator& communicator, Operation operation, const ConstBuffer& input,
              const Buffer& output, std::size_t place_offset_bytes, std::size_t place_bytes) {
  if (!overlap(input.data, input.bytes(), output.data, output.bytes())) return false;
  const bool larger_is_output = output.bytes() >= input.bytes();
  const auto place = address(larger_is_output ? output.data : input.data) + place_offset_bytes;
  const auto inside = address(larger_is_output ? input.data : output.data);
  const std::size_t inside_bytes = larger_is_output ? input.bytes() : output.bytes();
  if (inside == place && inside_bytes == place_bytes) return true;
  refuse(communicator, operation,
         "input and output overlap; use separate memory, or exactly this rank's block of the other "
         "buffer");
}

BlockList require_blocks(const Communicator& communicator, Operation operation, const char* name,
                         std::size_t buffer_count, std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  if (counts.size() != ranks || (!displacements.empty() && displacements.size() != ranks)) {
    refuse(communicator, operation,
           "{}: {} counts and {} displacements for {} ranks; give one per rank", name,
           counts.size(), displacements.size(), ranks);
  }
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t begin = displacements.empty() ? end : displacements[rank];
    if (counts[rank] > buffer_count || begin > buffer_count - counts[rank]) {
      refuse(communicator, operation,
             "{}: the block of rank {} ({} elements from element {}) exceeds the buffer of {}",
             name, rank, counts[rank], begin, buffer_count);
    }
    end = begin + counts[rank];
  }
  if (displacements.empty()) return BlockList::adjacent({counts.begin(), counts.end()});
  return {{counts.begin(), counts.end()}, {displacements.begin(), displacements.end()}};
}

}  // namespace cuboid::detail
