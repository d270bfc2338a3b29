#pragma once

#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply.hpp>

#include "base/recent_cache.hpp"

#include <complex>
#include <utility>
#include <variant>

namespace cuboid::detail::scalapack {

/// The plans of a context's last products, ready to run. All ranks make the same plans in the same
/// order, so all keep and drop the same plans.
class MultiplicationPlanCache {
 public:
  /// The plan for a product. If there is none yet, makes it, which is collective.
  template <MatrixElement T>
  MultiplicationPlan<T>& get(const Communicator& communicator, const ProductLayouts& product,
                             const LocalGemm& gemm);

 private:
  using Plan = std::variant<MultiplicationPlan<float>, MultiplicationPlan<double>,
                            MultiplicationPlan<std::complex<float>>,
                            MultiplicationPlan<std::complex<double>>>;
  RecentCache<std::pair<ElementType, ProductLayouts>, Plan> plans_{16};
};

}  // namespace cuboid::detail::scalapack
