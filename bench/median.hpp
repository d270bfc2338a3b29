#pragma once

#include <algorithm>
#include <vector>

#include <mpi.h>

/// The median time of `run`, each after a `prepare` that does not count; the first warms up.
template <class Prepare, class Run>
double median_seconds(int repeats, const Prepare& prepare, const Run& run) {
  std::vector<double> seconds;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    prepare();
    const double start = MPI_Wtime();
    run();
    if (repeat >= 0) seconds.push_back(MPI_Wtime() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}
