#pragma once

#include <cuboid/communicator.hpp>

#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_result.hpp"

#include <functional>

namespace cuboid::detail::tools {

/// Measures a collective. The result is the same on every rank, except for the bound of the rank's
/// line. Collective.
/// @param grown  called on rank 0 with the result so far, after each row.
BenchResult run_bench(const BenchOptions& options, const Communicator& world,
                      const std::function<void(const BenchResult&)>& grown);

}  // namespace cuboid::detail::tools
