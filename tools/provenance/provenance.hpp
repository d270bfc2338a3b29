#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// Notes, for provenance(), the ranks that run: their number, their network, and the file of
/// parameters that they have loaded. To be called by rank 0.
void note_ranks(const Communicator& world);
/// Notes what is modelled instead: ranks, 0 if unknown, and their network, empty if unknown.
void note_modelled(std::int64_t ranks, std::string network);
/// Notes the machine or file whose parameters predictions use.
void note_parameters(std::string name_or_file);

/// The network of a communicator's ranks: "one node", its shape, or "5 nodes".
std::string network_text(const Communicator& world);

/// What made a result, for files that outlive their run: version and commit of Cuboid, host, date
/// (UTC), command, MPI, UCX; and what was noted: ranks, network, and parameters; null where nothing
/// was.
nlohmann::ordered_json provenance();

/// The same as lines "NAME: VALUE" without what is null, each after `before`: comments of a
/// CSV file, say.
std::string provenance_lines(std::string_view before);

/// What `cuboid --version` prints: Cuboid's version, and each library that it found, a line each.
std::string version_text(const Environment& environment);

}  // namespace cuboid::detail::tools
