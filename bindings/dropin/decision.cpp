#include "bindings/dropin/decision.hpp"

#include "bindings/dropin/agreement.hpp"

#include <span>

namespace cuboid::detail::drop_in {

std::optional<OnlineTrial::Times> report_time(const Decision& decision, MPI_Comm communicator,
                                              double seconds) {
  if (decision.trial == nullptr) return std::nullopt;
  decision.trial->took(seconds);
  if (!decision.trial->wants_agreement()) return std::nullopt;
  OnlineTrial::Times slowest = decision.trial->times();
  agree_on_greatest(std::span(slowest), communicator);
  decision.trial->agree(slowest);
  return slowest;
}

}  // namespace cuboid::detail::drop_in
