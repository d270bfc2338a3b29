#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>

#include "models/messages/parameters.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/command.hpp"

#include <string>

namespace cuboid::detail::tools {

/// `cuboid bench --calibrate`: measures the models' parameters and writes them to the file of
/// --output or, by default, to the user's cache.
ExitCode run_calibration(const BenchFlags& flags, const Environment& environment);

/// Runs calibrate() until a hypervisor leaves the cores alone, at most `most_tries` times, and
/// returns the least disturbed result. Rank 0 shows progress. Collective; errors as in calibrate().
Parameters calibrate_in_peace(const Communicator& world, int most_tries);

/// The result as a table.
std::string to_text(const Parameters& parameters);

}  // namespace cuboid::detail::tools
