#pragma once

#include <cuboid/node.hpp>

#include "base/text_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// Which host a rank runs on. Ranks with equal identities share a host (and may share its memory).
struct HostIdentity {
  std::string name;  ///< host name
  std::string boot;  ///< the kernel's boot id: differs where two machines have one name
  std::uint64_t network_namespace = 0;  ///< differs between containers with networks of their own
  bool operator==(const HostIdentity&) const = default;
  auto operator<=>(const HostIdentity&) const = default;
};

/// An address that the kernel reaches over a link without any router between.
struct NeighbourReport {
  std::string address;           ///< "10.0.0.2", "fe80::1"
  std::string hardware_address;  ///< of the other end, empty if the kernel has not learnt it
  bool operator==(const NeighbourReport&) const = default;
};

/// What one end of a cable tells about itself: a network link that is up.
struct LinkReport {
  std::string name;                    ///< "eth0"
  std::string hardware_address;        ///< "02:00:00:00:00:01"; may be empty
  std::vector<std::string> addresses;  ///< its own, with prefix length: "10.1.0.1/30"
  std::vector<NeighbourReport> neighbours;
  double bytes_per_second = 0;  ///< 0 if it is unknown
  double burst_bytes = 0;  ///< carried at once after a rest, beyond the rate; 0 if it is unknown
  bool operator==(const LinkReport&) const = default;
};

/// What the kernel tells of a host's network. Plain data: pooling the reports of all hosts needs no
/// kernel.
struct KernelReport {
  std::vector<std::string> addresses;  ///< every address of the host that others can reach it by
  std::vector<LinkReport> links;
  std::string problem;  ///< why the kernel could not be asked; empty if it could
  bool operator==(const KernelReport&) const = default;
};

/// A file that the first rank read for all, or why it could not.
struct FileReport {
  std::string path;
  std::string text;
  std::string problem;
  std::vector<FileReport> included = {};  ///< as in TextFile
  bool operator==(const FileReport&) const = default;

  TextFile file() const {
    TextFile file{path, text, {}};
    for (const FileReport& one : included) file.included.push_back(one.file());
    return file;
  }
};

/// What Slurm tells a process of its job; empty if it does not.
struct SlurmReport {
  std::string address;     ///< SLURM_TOPOLOGY_ADDR, e.g. "s0.s4.node7"
  std::string pattern;     ///< SLURM_TOPOLOGY_ADDR_PATTERN, e.g. "switch.switch.node"
  FileReport description;  ///< topology.yaml or topology.conf, on the first rank only
  bool operator==(const SlurmReport&) const = default;
};

/// What a host knows of InfiniBand.
struct InfinibandReport {
  std::vector<std::string> devices;  ///< "mlx5_0"
  FileReport description;            ///< ibnetdiscover's output, on the first rank only
  bool operator==(const InfinibandReport&) const = default;
};

/// A rank's coordinate, its own word for it.
struct CoordinateReport {
  std::string text;    ///< "2,0,1"; empty if there is none
  std::string shape;   ///< of the machine, e.g. "torus:8x8x8"; empty if it is unknown
  std::string origin;  ///< who gave it, e.g. "CUBOID_COORDINATE"
  bool operator==(const CoordinateReport&) const = default;
};

/// All that one rank knows before ranks talk. One exchange of these is all the communication
/// discovery needs; what follows is a pure function of them, so that every rank comes to the same
/// answer, or to the same error.
struct LocalReport {
  HostIdentity host;
  std::string topology;         ///< the source or shape asked for; empty for the documented order
  std::string topology_origin;  ///< who asked, e.g. "CUBOID_TOPOLOGY"
  FileReport file;              ///< what topology "file:..." names, on the first rank only
  CoordinateReport coordinate;
  KernelReport kernel;
  SlurmReport slurm;
  InfinibandReport infiniband;
  Node node;
  Binding binding;
  bool operator==(const LocalReport&) const = default;
};

/// The bytes of a report, for an exchange between ranks of the same build.
std::vector<std::byte> to_bytes(const LocalReport& report);

/// Throws Error(mismatch) for bytes that to_bytes() did not make.
LocalReport report_from_bytes(std::span<const std::byte> bytes);

}  // namespace cuboid::detail
