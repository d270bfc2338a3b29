#include "bindings/dropin/tally.hpp"

namespace cuboid::detail::drop_in {

const char* text_of(OnlineTrial::Contender side) {
  return side == OnlineTrial::Contender::ours ? "taken over" : "handed on";
}

std::string text_of(Reason reason, OnlineTrial::Contender side, const char* other) {
  switch (reason) {
    case Reason::short_message: return "short";
    case Reason::not_wanted: return "switched off";
    case Reason::not_served: return "unsupported arguments";
    case Reason::nothing_to_gain: return "no gain possible";
    case Reason::too_soon: return "too little time spent yet";
    case Reason::trial: return "in alternation, to compare times";
    case Reason::quicker:
      return fmt::format("{} faster", side == OnlineTrial::Contender::ours ? "Cuboid" : other);
    case Reason::forced: return "forced";
  }
  return "";
}

}  // namespace cuboid::detail::drop_in
