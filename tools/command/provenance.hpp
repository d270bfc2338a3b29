#pragma once

#include <cuboid/environment.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What made a result, for files that outlive their run: version and commit of Cuboid, host, date
/// (UTC), command, MPI, UCX, and the file of parameters that CUBOID_PARAMETERS names.
nlohmann::ordered_json provenance();

/// What `cuboid --version` prints: Cuboid's version, and each library that it found, a line each.
std::string version_text(const Environment& environment);

}  // namespace cuboid::detail::tools
