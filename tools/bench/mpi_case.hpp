#pragma once

#include "tools/bench/bench_case.hpp"
#include "tools/bench/bench_groups.hpp"

#include <mpi.h>

namespace cuboid::detail::tools {

/// The same collective on the same buffers, run by MPI. Collective over the group.
class MpiCase {
 public:
  /// @param group  the case's ranks in the same order. Both are kept by reference.
  MpiCase(const BenchCase& test, MpiGroup& group);
  ~MpiCase();
  MpiCase(const MpiCase&) = delete;
  MpiCase& operator=(const MpiCase&) = delete;

  void run();
  void start();
  /// Makes the persistent request, which start_planned() starts.
  void plan();
  void start_planned();
  /// Waits for the started call.
  void wait();

 private:
  template <class Use>
  void call(const Use& use);

  const BenchCase& test_;
  MpiGroup& group_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op sum_ = MPI_SUM;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<int> lengths_;
  std::vector<int> displacements_;
};

/// True if this MPI has persistent collectives.
bool mpi_has_persistent_collectives();

}  // namespace cuboid::detail::tools
