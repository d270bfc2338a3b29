#include "bindings/scalapack/calls/serve.hpp"

#include <cstdio>

namespace cuboid::detail::scalapack {

const LocalGemm& local_gemm(const Communicator& first) {
  static const LocalGemm gemm = LocalGemm::open(first, 1);
  return gemm;
}

const LocalKernels& local_kernels(const Communicator& first) {
  static const LocalKernels kernels = {local_gemm(first),
                                       LocalLapack::open(first.environment(), 1)};
  return kernels;
}

void give_up(const Context& context, const std::exception& error) {
  std::fprintf(stderr, "cuboid-scalapack: rank %d of %d: %s\n", context.record->rank,
               context.record->size, error.what());
  // waits: for the launcher, which ends all ranks
  PMPI_Abort(context.communicator, 1);
  std::terminate();
}

}  // namespace cuboid::detail::scalapack
