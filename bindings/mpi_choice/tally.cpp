#include "bindings/mpi_choice/tally.hpp"

namespace cuboid::detail::drop_in {

const char* text_of(Contest::Side side) {
  return side == Contest::Side::ours ? "taken over" : "handed on";
}

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::short_message: return "short";
    case Reason::not_wanted: return "not wanted";
    case Reason::not_served: return "not served";
    case Reason::nothing_to_gain: return "nothing to gain";
    case Reason::too_soon: return "too little time spent yet";
    case Reason::contest: return "by turns, to see who is quicker";
    case Reason::quicker: return "quicker so";
    case Reason::forced: return "forced";
  }
  return "";
}

}  // namespace cuboid::detail::drop_in
