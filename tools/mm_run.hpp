#pragma once

#include <cuboid/collectives/communicator.hpp>
#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/matrix.hpp>
#include <cuboid/mm/multiply.hpp>
#include <cuboid/tools/mm_options.hpp>
#include <cuboid/tools/mm_result.hpp>
#include <cuboid/tools/progress.hpp>

namespace cuboid::tools {

/// What the planner is asked for by ranks that are where they are.
/// @param how  the algorithm to run, and what the planner must keep to.
PlanRequest placed_request(const MmOptions& options, const Product& product,
                           std::size_t element_bytes, const MultiplyOptions& how,
                           const Communicator& communicator);

/// One rank's part in a product: brings or makes the operands, multiplies as often as asked, checks
/// and writes. Collective; the result is the same on every rank.
/// Throws Error(out_of_memory) on all of them where a node has less memory than its ranks need, and
/// what planning, reading and writing throw.
template <MatrixElement T>
MmResult run_product(const MmOptions& options, const MultiplyOptions& how, const Product& product,
                     const Communicator& communicator, const LocalGemm& gemm, Progress& progress);

}  // namespace cuboid::tools
