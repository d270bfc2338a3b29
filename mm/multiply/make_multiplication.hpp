#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include "mm/matrix/new_matrix.hpp"
#include "mm/multiply/multiplication_table.hpp"

#include <memory>

namespace cuboid::detail {

/// The layouts of A, B and C that a plan's algorithm uses in place.
inline ProductLayouts required_layouts(const ProductSize& size, Op op_a, Op op_b,
                                       const PlanCandidate& plan) {
  return entry_of(plan.algorithm).layouts(size, op_a, op_b, plan);
}

/// The operands that a plan's algorithm multiplies in place, on any rank of the node, if they are
/// in shared memory. Otherwise the algorithm copies them.
inline InSharedMemory operands_to_share(const PlanCandidate& plan) {
  return entry_of(plan.algorithm).shares(plan);
}

/// A matrix in shared memory or, if not `shared`, in each rank's own memory. Collective. Throws on
/// all ranks Error(out_of_memory) if a rank lacks memory.
template <MatrixElement T>
Matrix<T> make_operand(const Communicator& communicator, const Layout& layout, bool shared) {
  return shared ? Matrix<T>::shared(communicator, layout) : new_matrix<T>(communicator, layout);
}

/// Makes the multiplication that a plan describes ready. Collective over `communicator`, that of
/// the matrices. Throws what the algorithm's constructor throws.
template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_multiplication(const Communicator& communicator,
                                                       const ProductLayouts& product,
                                                       const PlanCandidate& plan) {
  return std::get<Maker<T>>(entry_of(plan.algorithm).makers)(communicator, product, plan);
}

}  // namespace cuboid::detail
