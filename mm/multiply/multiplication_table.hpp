#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/drivers/multiplication.hpp"
#include "mm/plan/planning.hpp"

#include <complex>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace cuboid::detail {

/// The options of a multiplication that only some algorithms accept.
enum class AlgorithmOption {
  grid,
  bricks,
  idle_fraction,
  groups,
  outer_width,
  panel_width,
  layers,
  inside,
  replicated_operands,
  rounds,
  one_sided,
  copied_blocks,
  blocking_gets,
  blocks_by_arrival,
  one_direction,
  binary_tree,
};

/// The operands that should be in shared memory (Matrix::shared).
struct InSharedMemory {
  bool a = false;
  bool b = false;
};

/// Makes a multiplication that a plan describes ready, for matrices with these layouts. Collective.
template <MatrixElement T>
using Maker = std::unique_ptr<Multiplication<T>> (*)(const Communicator&, const ProductLayouts&,
                                                     const PlanCandidate&);
using Makers = std::tuple<Maker<float>, Maker<double>, Maker<std::complex<float>>,
                          Maker<std::complex<double>>>;

/// The entry of an algorithm, for the planner, multiply() and the command line.
struct MultiplicationEntry {
  MultiplicationAlgorithm algorithm;
  std::string_view name;  ///< its name on the command line
  std::vector<AlgorithmOption> accepts;
  /// Adds its candidates. Pure.
  void (*add_candidates)(Planning& planning);
  /// The layouts of A, B and C that a candidate uses in place. Pure.
  ProductLayouts (*layouts)(const ProductSize& size, Op op_a, Op op_b, const PlanCandidate& plan);
  /// The operands that a candidate multiplies in place, on any rank of the node, if they are in
  /// shared memory. Otherwise the algorithm copies them.
  InSharedMemory (*shares)(const PlanCandidate& plan);
  bool on_devices = false;  ///< multiplies matrices in devices' memory without copying them
  Makers makers;

  bool accepts_option(AlgorithmOption option) const;
  /// True if it accepts all options that are set.
  bool accepts_all(const MultiplyOptions& options) const;
};

/// The table of multiplications, in the order of MultiplicationAlgorithm.
std::span<const MultiplicationEntry> multiplication_table();

/// The entry of an algorithm other than automatic.
const MultiplicationEntry& entry_of(MultiplicationAlgorithm algorithm);

}  // namespace cuboid::detail
