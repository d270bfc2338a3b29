// Which calls the drop-in hands on at once: those below its limit whose type it knows, those of a
// kind that was noted, and none that one rank might see so and another not.

#include "bindings/dropin/fast_pass_through.hpp"

#include "bindings/dropin/settings.hpp"
#include "expect.hpp"

#include <cstdint>

namespace drop_in = cuboid::detail::drop_in;
using drop_in::Called;

int main(int argc, char** argv) {
  begin(argc, argv);
  const MPI_Comm world = MPI_COMM_WORLD;
  drop_in::FastPassThrough calls;
  expect(!calls.contains(Called::bcast, 1, MPI_BYTE, world), "a call before the table is filled");
  calls.learn();

  const auto least = static_cast<std::int64_t>(drop_in::settings().least(Called::bcast));
  for (const MPI_Datatype type : {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX}) {
    int size = 0;
    MPI_Type_size(type, &size);
    for (int count = 0; count <= 2 * least; ++count) {
      const std::int64_t bytes = std::int64_t{count} * size;
      expect(calls.contains(Called::bcast, count, type, world) == (bytes < least), "a broadcast");
      if (calls.contains_blocks(Called::alltoall, count, type, world))
        expect(bytes * ranks < least, "a long all-to-all taken as short");
    }
    expect(calls.contains_blocks(Called::alltoall, 1, type, world), "a short all-to-all");
    expect(!calls.contains(Called::allreduce, INT32_MAX, type, world), "the longest call");
    // Whichever of the two lengths counts on this rank.
    const int many = static_cast<int>(least);
    expect(!calls.contains_rooted(Called::gather, 1, type, many, MPI_BYTE), "a gather, the root's");
    expect(!calls.contains_rooted(Called::gather, many, MPI_BYTE, 1, type), "a gather, another's");
    expect(calls.contains_rooted(Called::gather, 1, type, 1, MPI_BYTE), "a short gather");
  }

  MPI_Datatype derived;
  MPI_Type_contiguous(1, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  expect(!calls.contains(Called::bcast, 1, derived, world), "a derived type, reused handles");
  MPI_Type_free(&derived);
  expect(!calls.contains(Called::bcast, 1 << 20, MPI_DATATYPE_NULL, world), "no type");

  // 8192 bytes have 14 binary digits.
  MPI_Comm other;
  MPI_Comm_dup(world, &other);
  calls.note(world, ranks, Called::bcast, 14);
  calls.note(world, ranks, Called::alltoall, 14);
  expect(calls.contains(Called::bcast, 8192, MPI_BYTE, world), "a kind that was noted");
  expect(!calls.contains(Called::bcast, 8191, MPI_BYTE, world), "a shorter kind");
  expect(!calls.contains(Called::bcast, 16384, MPI_BYTE, world), "a longer kind");
  expect(!calls.contains(Called::reduce, 8192, MPI_BYTE, world), "another collective");
  expect(!calls.contains(Called::bcast, 8192, MPI_BYTE, other), "another communicator");
  expect(calls.contains_blocks(Called::alltoall, 8192 / ranks + 1, MPI_BYTE, world), "by blocks");
  expect(!calls.contains_blocks(Called::alltoall, 8192 * 2, MPI_BYTE, world), "longer blocks");
  calls.forget(other);
  expect(calls.contains(Called::bcast, 8192, MPI_BYTE, world), "when another has ended");
  calls.forget(world);
  expect(!calls.contains(Called::bcast, 8192, MPI_BYTE, world), "what was forgotten");
  calls.note(world, ranks, Called::reduce, 14);
  expect(!calls.contains(Called::bcast, 8192, MPI_BYTE, world), "what was noted before the end");
  MPI_Comm_free(&other);
  return end();
}
