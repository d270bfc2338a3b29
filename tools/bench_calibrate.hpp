#pragma once

#include <cuboid/base/environment.hpp>
#include <cuboid/models/parameters.hpp>
#include <cuboid/tools/bench_options.hpp>
#include <cuboid/tools/command.hpp>

#include <string>

namespace cuboid::tools {

/// `cuboid bench --calibrate`: measures the model's parameters and writes them to --output, or
/// where Cuboid looks for them.
ExitCode run_calibration(const BenchFlags& flags, const Environment& environment);

/// The table for people.
std::string to_text(const Parameters& parameters);

}  // namespace cuboid::tools
