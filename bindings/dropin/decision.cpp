#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/decision.hpp"

#include <span>

namespace cuboid::detail::drop_in {

std::optional<Contest::Times> report_time(const Decision& decision, MPI_Comm communicator,
                                          double seconds) {
  if (decision.contest == nullptr) return std::nullopt;
  decision.contest->took(seconds);
  if (!decision.contest->wants_agreement()) return std::nullopt;
  Contest::Times slowest = decision.contest->times();
  agree_on_greatest(std::span(slowest), communicator);
  decision.contest->agree(slowest);
  return slowest;
}

}  // namespace cuboid::detail::drop_in
