#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>

#include "models/messages/parameters.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/command.hpp"

#include <string>

namespace cuboid::detail::tools {

/// `cuboid bench --calibrate`: measures the model's parameters and writes them to --output, or
/// where Cuboid looks for them.
ExitCode run_calibration(const BenchFlags& flags, const Environment& environment);

/// calibrate(), up to `most_tries` times where a hypervisor takes the cores meanwhile: what it took
/// least in counts. Rank 0 shows how far it is. Collective; errors as calibrate().
Parameters calibrate_in_peace(const Communicator& world, int most_tries);

/// The table for people.
std::string to_text(const Parameters& parameters);

}  // namespace cuboid::detail::tools
