#include "compare.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

void differ(const std::string& what) {
  ++differences;
  std::fprintf(stderr, "rank %d: differs from the native MPI: %s\n", world_rank, what.c_str());
}

Group::Group(std::string named, MPI_Comm of) : name(std::move(named)), comm(of) {
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
}

namespace {

/// Of so many values. Sums must not overflow: Open MPI 4.1 saturates those of short integers.
Bytes random_bytes(std::size_t size, unsigned seed, unsigned values) {
  std::mt19937 engine(seed * 1009 + static_cast<unsigned>(world_rank) * 31 + 7);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(engine() % values);
  return bytes;
}

}  // namespace

Memory::Memory(MPI_Datatype type, int count, unsigned seed, unsigned values) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const MPI_Aint room = 64 + std::abs(true_lower) + true_extent + std::abs(extent) * (count + 1);
  origin = 64 + static_cast<std::size_t>(std::abs(true_lower));
  bytes = random_bytes(static_cast<std::size_t>(room) + origin, seed, values);
}

void compare(const std::string& what, Memory memory,
             const std::function<int(void* buffer, bool native)>& call) {
  Memory expected = memory;
  const int code_native = call(expected.at(), true);
  const int code = call(memory.at(), false);
  ++compared;
  if (code != code_native)
    differ(what + ": code " + std::to_string(code) + " for " + std::to_string(code_native));
  if (!(memory == expected)) differ(what);
}

int complete(int code, MPI_Request& request) {
  if (code != MPI_SUCCESS) return code;
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

std::string text_of(Form form) {
  if (form == Form::blocking) return "";
  return form == Form::non_blocking ? ", non-blocking" : ", persistent";
}

int run_twice(int code, MPI_Request& request, bool native) {
  for (int run = 0; run < 2 && code == MPI_SUCCESS; ++run) {
    code = native ? PMPI_Start(&request) : MPI_Start(&request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request == MPI_REQUEST_NULL) differ("a persistent request is gone");
  }
  if (request != MPI_REQUEST_NULL)
    native ? PMPI_Request_free(&request) : MPI_Request_free(&request);
  return code;
}

std::vector<int> uneven(int size, int count) {
  std::vector<int> counts;
  for (int rank = 0; rank < size; ++rank) counts.push_back(count * ((rank + 1) % 3));
  return counts;
}
