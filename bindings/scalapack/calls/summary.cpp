#include "bindings/scalapack/calls/summary.hpp"

#include "bindings/dropin/tally.hpp"

#include <string>

#include <fmt/format.h>

namespace cuboid::detail::scalapack {

namespace {

drop_in::Tally<CallClass>& tally() {
  static auto& one = *new drop_in::Tally<CallClass>;
  return one;
}

std::string extents_of(const CallClass& its_class) {
  std::string text;
  for (const int logarithm : its_class.extents) {
    if (logarithm >= 0) text += fmt::format("{}{}", text.empty() ? "" : "x", 1LL << logarithm);
  }
  return text;
}

void print() {
  const auto line_of = [](const CallClass& its_class, const char* carried, const auto& counted) {
    const std::string elsewhere =
        counted.elsewhere > 0 ? fmt::format(", {:.3g} s expected of the other", counted.elsewhere)
                              : "";
    return fmt::format("p{}{:12} {:>18} on {}x{} {:>6} times {:10} {:9.3g} s{}", its_class.type,
                       name_of(its_class.routine), extents_of(its_class), its_class.grid[0],
                       its_class.grid[1], counted.calls, carried, counted.seconds, elsewhere);
  };
  tally().print("cuboid-scalapack", "ScaLAPACK",
                "with extents from the stated ones to twice as many", line_of);
}

}  // namespace

void count(const CallClass& its_class, const Decision& decision, double seconds) {
  tally().count(its_class, decision.side, decision.reason, decision.trial, seconds, &print);
}

}  // namespace cuboid::detail::scalapack
