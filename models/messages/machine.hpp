#pragma once

#include <cuboid/shape.hpp>

#include "models/messages/log_gp.hpp"
#include "models/messages/parameters.hpp"
#include "models/messages/usual_parameters.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The parameters of a machine. 0 means unknown or unlimited.
struct Machine {
  std::string name;
  std::string source;                               ///< where the numbers come from
  std::optional<Shape> shape = std::nullopt;        ///< the shape of its network
  double nodes = 0;                                 ///< nodes of the whole machine
  LogGP between_nodes;                              ///< messages over one link
  double hop_seconds = 0;                           ///< latency that each further link adds
  std::optional<LogGP> within_node = std::nullopt;  ///< messages between ranks of one node
  double injection_bytes_per_second = 0;  ///< the most that leaves a node over all its links
  double burst_bytes = 0;                 ///< burst of idle links, see TokenBuckets
  double incast_loss = 0;                 ///< incast loss of links, see FairShares
  double overlap = usual_overlap;         ///< overlap of transfers with a gemm, see Parameters
  double cores_per_node = 0;
  double flops_per_second = 0;         ///< flop/s of a node
  double memory_bytes_per_second = 0;  ///< memory bandwidth of a node
  double memory_bytes = 0;             ///< memory of a node

  double link_bytes_per_second() const { return 1 / between_nodes.byte_gap; }

  /// The machine as one rank sees it while `ranks_on_node` ranks of each node compute and
  /// communicate. The rank has its share of the flops, of the memory and its bandwidth, and of the
  /// rate at which a node sends over all its links, but not more than a link's rate. All messages
  /// that it receives count as coming from other nodes.
  Machine shared_by(int ranks_on_node) const;
};

/// The machines of the papers: "bgp" (Solomonik et al. 2011, §4.5), "bgp-hsumma" and "grid5000"
/// (Quintin et al. 2013, §V), "exascale" (Solomonik et al. 2011, table 1), "exascale-hsumma"
/// (Quintin et al. 2013, §V-C), "piz-daint" (Kwasniewski et al. 2019, §8).
std::span<const Machine> named_machines();

/// The machine with a name; nullptr if there is none.
const Machine* find_machine(std::string_view name);

/// The machine that parameters were measured on. If nothing was measured between nodes, the
/// parameters within a node are used instead. Throws Error(invalid_argument) if neither was
/// measured.
Machine machine_of(const Parameters& parameters, std::string name);

/// The machine of this name (find_machine()), or the machine of the parameters in the file of this
/// name. Throws Error(invalid_argument), which lists the names, if neither exists, and what
/// parse_parameters() throws.
Machine machine_named(const std::string& name_or_file);

}  // namespace cuboid::detail
