#pragma once

#include <cuboid/communicator.hpp>

#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_result.hpp"

namespace cuboid::detail::tools {

/// Measures a collective; the same result on every rank, but for the bound of its line. Collective.
BenchResult run_bench(const BenchOptions& options, const Communicator& world);

}  // namespace cuboid::detail::tools
