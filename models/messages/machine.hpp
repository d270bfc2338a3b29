#pragma once

#include <cuboid/shape.hpp>

#include "models/messages/log_gp.hpp"
#include "models/messages/parameters.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// What the models need to know of a machine. 0 where a number is not known or sets no limit.
struct Machine {
  std::string name;
  std::string source;                     ///< where the numbers come from
  std::optional<Shape> shape;             ///< of its network
  double nodes = 0;                       ///< of the whole machine
  LogGP between_nodes;                    ///< over one link
  std::optional<LogGP> within_node;       ///< between ranks of one node
  double injection_bytes_per_second = 0;  ///< out of a node over all links, at most
  double burst_bytes = 0;                 ///< of links that have rested, see TokenBuckets
  double incast_loss = 0;                 ///< of links that many share, see FairShares
  double flops_per_second = 0;            ///< of a node
  double memory_bytes_per_second = 0;     ///< of a node
  double memory_bytes = 0;                ///< of a node

  double link_bytes_per_second() const { return 1 / between_nodes.byte_gap; }
};

/// The machines of the papers: "bgp" (004 §4.5), "bgp-003" and "grid5000" (003 §V), "exascale"
/// (004 table 1), "exascale-003" (003 §V-C), "piz-daint" (000 §8).
std::span<const Machine> named_machines();

/// The one of a name; nullptr where there is none.
const Machine* find_machine(std::string_view name);

/// The machine that parameters were measured on. What was not measured between nodes is taken from
/// within one; throws Error(invalid_argument) where neither was.
Machine machine_of(const Parameters& parameters, std::string name);

/// find_machine(name), or the machine of the parameters in the file of that name. Throws
/// Error(invalid_argument) listing the names where neither exists, and what parse_parameters()
/// throws.
Machine machine_named(const std::string& name_or_file);

}  // namespace cuboid::detail
