#include "tools/mm/mm_check.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "tools/command/memory.hpp"

#include <complex>
#include <cstdint>
#include <span>

namespace cuboid::detail::tools {

namespace {

/// True if rank 0 has the memory for A, B and C as a whole, and every rank on its node the memory
/// for one more part of C. Collective.
template <class T>
bool reference_fits(const FinishedProduct<T>& product) {
  const Communicator& communicator = product.C.communicator();
  std::uint8_t fits = 0;
  if (communicator.rank() == 0) {
    const auto elements = [](const Matrix<T>& matrix) {
      return static_cast<double>(matrix.m()) * static_cast<double>(matrix.n());
    };
    const double needed =
        elements(product.A.matrix) + elements(product.B.matrix) + 2 * elements(product.C);
    const auto available = available_memory();
    fits = !available || needed * sizeof(T) <= static_cast<double>(*available);
  }
  broadcast(communicator, std::span(&fits, 1), 0);
  return fits != 0;
}

}  // namespace

const Verdict& MmCheck::telling() const {
  return reference && freivalds.holds() ? *reference : freivalds;
}

template <MatrixElement T>
MmCheck check_product(const FinishedProduct<T>& product, const LocalGemm& gemm) {
  const auto& [alpha, A, B, beta, C0, C] = product;
  MmCheck check;
  check.freivalds = FreivaldsCheck<T>(alpha, A, B, beta, C0).verdict(C);
  if (reference_fits(product)) {
    check.reference = ReferenceCheck<T>(alpha, A, B, beta, C0, gemm).verdict(C);
  }
  return check;
}

#define CUBOID_INSTANTIATE(T) \
  template MmCheck check_product(const FinishedProduct<T>&, const LocalGemm&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::tools
