#pragma once

#include <cstdint>

namespace cuboid::detail::test {

/// How often this thread, which is a rank, has asked for memory since it began: by operator new in
/// all its forms, or by aligned_alloc(), from which matrices and panels come. What libraries in C
/// take for themselves does not count.
std::uint64_t allocations();

/// Bytes that this thread has asked aligned_alloc() for since it began.
std::uint64_t aligned_bytes();

}  // namespace cuboid::detail::test
