#include "bindings/scalapack/serve.hpp"

#include <cstdio>

namespace cuboid::detail::scalapack {

const LocalGemm& local_gemm() {
  static const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  return gemm;
}

const LocalKernels& local_kernels() {
  static const LocalKernels kernels = {local_gemm(), LocalLapack::open(Environment::read(), 1)};
  return kernels;
}

void give_up(const Context& context, const std::exception& error) {
  std::fprintf(stderr, "cuboid-scalapack: rank %d of %d: %s\n", context.followed->rank,
               context.followed->size, error.what());
  // waits: for the launcher, which ends all ranks
  PMPI_Abort(context.communicator, 1);
  std::terminate();
}

}  // namespace cuboid::detail::scalapack
