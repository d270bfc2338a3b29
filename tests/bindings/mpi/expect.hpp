#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include <mpi.h>

// What the programs have in common that check what they do by themselves: rank and ranks of
// MPI_COMM_WORLD, and the number of mistakes so far.

inline int rank = 0;
inline int ranks = 0;
inline int mistakes = 0;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++mistakes;
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
}

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

inline void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/// Ends MPI. Returns the mistakes of all ranks, at most 99.
inline int end() {
  int all = 0;
  MPI_Allreduce(&mistakes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return std::min(all, 99);
}
