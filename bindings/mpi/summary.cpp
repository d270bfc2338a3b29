#include "bindings/mpi/summary.hpp"

#include "bindings/dropin/settings.hpp"
#include "bindings/dropin/tally.hpp"

#include <bit>
#include <cctype>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::drop_in {

namespace {

using CallKind = std::pair<Called, int>;  // the collective, and the number of bits of its length

Tally<CallKind>& tally() {
  static Tally<CallKind>& one = *new Tally<CallKind>;
  return one;
}

/// MPI's spelling, e.g. "MPI_Reduce_scatter_block".
std::string spelling_of(Called called) {
  std::string name(name_of(called));
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "MPI_" + name;
}

void print() {
  const auto line_of = [](const CallKind& kind, const char* carried, const auto& counted) {
    return fmt::format("{:21} {:>10} {:>9} times {:10}", spelling_of(kind.first),
                       std::size_t{1} << kind.second, counted.calls, carried);
  };
  tally().print("cuboid-mpi", "MPI", "with fewer bytes than the second column", line_of);
}

}  // namespace

void count(Called called, std::size_t bytes, const Decision& decision) {
  if (!has_world()) return;
  tally().count({called, static_cast<int>(std::bit_width(bytes))}, decision.side, decision.reason,
                decision.trial, 0, &print);
}

void announce_summary() {
  if (settings().counts) tally().announce(&print);
}

}  // namespace cuboid::detail::drop_in
