#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <utility>
#include <variant>

namespace cuboid::detail::scalapack {

/// The plans of a context's last products, ready to run. All ranks make the same ones in the same
/// order, so they keep and drop the same.
class KeptPlans {
 public:
  /// The one for such a product; made where there is none. Collective then.
  template <MatrixElement T>
  MultiplicationPlan<T>& get(const Communicator& communicator, const ProductLayouts& product,
                             const LocalGemm& gemm);

 private:
  using Plan = std::variant<MultiplicationPlan<float>, MultiplicationPlan<double>,
                            MultiplicationPlan<std::complex<float>>,
                            MultiplicationPlan<std::complex<double>>>;
  struct Kept {
    ProductLayouts product;
    Plan plan;
  };

  static constexpr std::size_t most = 8;
  std::list<Kept> plans_;  // the last one used comes first
};

}  // namespace cuboid::detail::scalapack
