#pragma once

#include <cuboid/communicator.hpp>

#include <cstdint>
#include <istream>

namespace cuboid::detail::tools {

/// The maximum share of the cores' time that a hypervisor may take in an undisturbed measurement.
inline constexpr double most_stolen = 0.05;

/// The time of all cores of a machine since it started, in the kernel's units.
struct CoreTicks {
  std::uint64_t stolen = 0;  ///< taken by a hypervisor while there was work ("steal" in proc(5))
  std::uint64_t all = 0;
};
/// The first line of /proc/stat; none of either where it is not one.
CoreTicks parse_core_ticks(std::istream& text);

/// The share of this machine's cores that a hypervisor takes, from construction on.
class StolenTime {
 public:
  StolenTime();

  /// Of the time of all cores, 0 to 1; 0 if the kernel does not say.
  double share() const;
  /// The largest share() of all ranks. Collective.
  double largest_share(const Communicator& world) const;

 private:
  CoreTicks before_;
};

}  // namespace cuboid::detail::tools
