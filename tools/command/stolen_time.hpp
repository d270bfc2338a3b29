#pragma once

#include <cuboid/communicator.hpp>

#include <cstdint>
#include <istream>

namespace cuboid::detail::tools {

/// The maximum share of the cores' time that a hypervisor may take in an undisturbed measurement.
inline constexpr double most_stolen = 0.05;

/// The time of all cores of a machine since its start, in the kernel's units.
struct CoreTicks {
  std::uint64_t stolen = 0;  ///< taken by a hypervisor while there was work ("steal" in proc(5))
  std::uint64_t all = 0;
};
/// Reads the first line of /proc/stat; both counts are 0 if it is malformed.
CoreTicks parse_core_ticks(std::istream& text);

/// Measures the share of this machine's core time that a hypervisor takes, from construction on.
class StolenTime {
 public:
  StolenTime();

  /// Share of the time of all cores, 0 to 1; 0 if the kernel does not report it.
  double share() const;
  /// The largest share() of all ranks. Collective.
  double largest_share(const Communicator& world) const;

 private:
  CoreTicks before_;
};

}  // namespace cuboid::detail::tools
