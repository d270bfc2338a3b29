#pragma once

#include <cuboid/node.hpp>

#include "base/text_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The identity of the host that a rank runs on. Ranks with equal identities share a host (and may
/// share its memory).
struct HostIdentity {
  std::string name;  ///< host name
  std::string boot;  ///< the kernel's boot id: differs between machines of the same name
  std::uint64_t network_namespace = 0;  ///< differs between containers with networks of their own
  bool operator==(const HostIdentity&) const = default;
  auto operator<=>(const HostIdentity&) const = default;
};

/// An address that the kernel reaches over a link without any router between.
struct NeighbourReport {
  std::string address;           ///< "10.0.0.2", "fe80::1"
  std::string hardware_address;  ///< the other end's; empty if the kernel does not know it
  bool operator==(const NeighbourReport&) const = default;
};

/// A network link that is up: what one end of a cable tells about itself.
struct LinkReport {
  std::string name;                    ///< "eth0"
  std::string hardware_address;        ///< "02:00:00:00:00:01"; may be empty
  std::vector<std::string> addresses;  ///< the link's own, with prefix length: "10.1.0.1/30"
  std::vector<NeighbourReport> neighbours;
  double bytes_per_second = 0;  ///< 0 if it is unknown
  double burst_bytes = 0;  ///< carried at once after a rest, beyond the rate; 0 if it is unknown
  bool operator==(const LinkReport&) const = default;
};

/// A host's network, as its kernel describes it. Plain data: the reports of all hosts can be pooled
/// without a kernel.
struct KernelReport {
  std::vector<std::string> addresses;  ///< every address under which other hosts can reach the host
  std::vector<LinkReport> links;
  std::string problem;  ///< why the kernel could not be asked; empty if it could
  bool operator==(const KernelReport&) const = default;
};

/// A file that the first rank read for all ranks, or the reason why it could not.
struct FileReport {
  std::string path;
  std::string text;
  std::string problem;
  std::vector<FileReport> included = {};  ///< the included files, see TextFile
  bool operator==(const FileReport&) const = default;

  TextFile file() const {
    TextFile file{path, text, {}};
    for (const FileReport& one : included) file.included.push_back(one.file());
    return file;
  }
};

/// A job's topology, as Slurm tells it to a process; empty if it does not.
struct SlurmReport {
  std::string address;     ///< SLURM_TOPOLOGY_ADDR, e.g. "s0.s4.node7"
  std::string pattern;     ///< SLURM_TOPOLOGY_ADDR_PATTERN, e.g. "switch.switch.node"
  FileReport description;  ///< topology.yaml or topology.conf, on the first rank only
  bool operator==(const SlurmReport&) const = default;
};

/// A host's InfiniBand devices, and the description of the fabric.
struct InfinibandReport {
  std::vector<std::string> devices;  ///< "mlx5_0"
  FileReport description;            ///< ibnetdiscover's output, on the first rank only
  bool operator==(const InfinibandReport&) const = default;
};

/// A rank's coordinate, as the rank itself states it.
struct CoordinateReport {
  std::string text;    ///< "2,0,1"; empty if there is none
  std::string shape;   ///< the machine's shape, e.g. "torus:8x8x8"; empty if unknown
  std::string origin;  ///< who gave it, e.g. "CUBOID_COORDINATE"
  bool operator==(const CoordinateReport&) const = default;
};

/// All that one rank knows before ranks communicate. Discovery communicates only once: the ranks
/// exchange these reports. All further steps are a pure function of the reports, so every rank
/// finds the same result or the same error.
struct LocalReport {
  HostIdentity host;
  /// The source or shape that was asked for; empty: sources are asked in the documented order.
  std::string topology;
  std::string topology_origin;  ///< who asked, e.g. "CUBOID_TOPOLOGY"
  FileReport file;              ///< the file that topology "file:..." names, on the first rank only
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

/// Reads a report. Throws Error(mismatch) for bytes that to_bytes() did not make.
LocalReport report_from_bytes(std::span<const std::byte> bytes);

}  // namespace cuboid::detail
