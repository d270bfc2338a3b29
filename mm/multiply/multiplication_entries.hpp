#pragma once

#include "mm/multiply/multiplication_table.hpp"

#include <complex>
#include <memory>

namespace cuboid::detail {

/// The entries of multiplication_table(), each in a file of its own.
MultiplicationEntry summa_entry();
MultiplicationEntry hsumma_entry();
MultiplicationEntry cannon_entry();
MultiplicationEntry sd_cannon_entry();
MultiplicationEntry srumma_entry();
MultiplicationEntry two_and_a_half_d_entry();
MultiplicationEntry carma_entry();
MultiplicationEntry cosma_entry();
MultiplicationEntry stationary_a_entry();
MultiplicationEntry stationary_b_entry();

/// Functions that several entries need.

/// The layouts with one block of each matrix per rank.
ProductLayouts in_blocks(const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan);
/// The layouts for blocks that rotate: C in blocks, the inner dimension evenly distributed.
ProductLayouts in_even_blocks(const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan);

inline InSharedMemory shares_nothing(const PlanCandidate&) {
  return {};
}

template <MatrixElement T, class Make>
std::unique_ptr<Multiplication<T>> make_by(const Communicator& communicator,
                                           const ProductLayouts& product,
                                           const PlanCandidate& plan) {
  return Make{}.template operator()<T>(communicator, product, plan);
}
/// Makes makers for all element types of a generic lambda without captures.
template <class Make>
Makers makers(Make) {
  return {make_by<float, Make>, make_by<double, Make>, make_by<std::complex<float>, Make>,
          make_by<std::complex<double>, Make>};
}

}  // namespace cuboid::detail
