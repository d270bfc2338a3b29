#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply.hpp>

#include "tools/mm/mm_options.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/output/progress.hpp"

namespace cuboid::detail::tools {

/// The planner's request for the ranks and their placement.
/// @param how  the algorithm to run, and the options that the planner must keep.
PlanRequest placed_request(const MmOptions& options, const Product& product,
                           std::size_t element_bytes, const MultiplyOptions& how,
                           const Communicator& communicator);

/// Runs one rank's part of a product: reads or generates the operands, multiplies as often as
/// requested, checks and writes. Collective; the result is the same on every rank. Throws
/// Error(out_of_memory) on all ranks if a node has less memory than its ranks need, and what
/// planning, reading and writing throw.
template <MatrixElement T>
MmResult run_product(const MmOptions& options, const MultiplyOptions& how, const Product& product,
                     const Communicator& communicator, const LocalGemm& gemm, Progress& progress);

}  // namespace cuboid::detail::tools
