// Which calls the drop-in hands on at once: exactly those below its limit whose type it knows, and
// none that a rank might see as short and another as long.

#include "bindings/mpi/short_calls.hpp"

#include "bindings/mpi_choice/settings.hpp"
#include "expect.hpp"

#include <cstdint>

namespace drop_in = cuboid::detail::drop_in;
using drop_in::Called;

int main(int argc, char** argv) {
  begin(argc, argv);
  drop_in::ShortCalls calls;
  expect(!calls.contains(Called::bcast, 1, MPI_BYTE), "a call before the table is filled");
  calls.learn();

  const auto least = static_cast<std::int64_t>(drop_in::settings().least(Called::bcast));
  for (const MPI_Datatype type : {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX}) {
    int size = 0;
    MPI_Type_size(type, &size);
    for (int count = 0; count <= 2 * least; ++count) {
      const std::int64_t bytes = std::int64_t{count} * size;
      expect(calls.contains(Called::bcast, count, type) == (bytes < least), "a broadcast");
      if (calls.contains_blocks(Called::alltoall, count, type))
        expect(bytes * ranks < least, "a long all-to-all taken as short");
    }
    expect(calls.contains_blocks(Called::alltoall, 1, type), "an all-to-all of one element");
    expect(!calls.contains(Called::allreduce, INT32_MAX, type), "the longest call");
    // Whichever of the two lengths counts on this rank.
    const int many = static_cast<int>(least);
    expect(!calls.contains_blocks(Called::gather, 1, type, many, MPI_BYTE), "a gather, the root's");
    expect(!calls.contains_blocks(Called::gather, many, MPI_BYTE, 1, type), "a gather, another's");
    expect(calls.contains_blocks(Called::gather, 1, type, 1, MPI_BYTE), "a short gather");
  }

  MPI_Datatype derived;
  MPI_Type_contiguous(1, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  expect(!calls.contains(Called::bcast, 1, derived), "a derived type, whose handle may be reused");
  MPI_Type_free(&derived);
  expect(!calls.contains(Called::bcast, 1, MPI_DATATYPE_NULL), "no type");
  return end();
}
