#pragma once

#include <cuboid/communicator.hpp>

#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_result.hpp"

namespace cuboid::detail::tools {

/// Measures a collective. The result is the same on every rank, except for the bound of the rank's
/// line. Collective.
BenchResult run_bench(const BenchOptions& options, const Communicator& world);

}  // namespace cuboid::detail::tools
