#pragma once

#include "models/multiplication/product_extents.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// A value divided by another one; 0 if the value is 0, as all values of an empty matrix are.
inline double ratio(double value, double to) {
  return value == 0 ? 0 : value / to;
}

/// Adds a rank's share of what it communicates, for means over all ranks.
inline void add_share(CommunicationCost& sum, const CommunicationCost& sent, double share) {
  sum.words += share * sent.words;
  sum.messages += share * sent.messages;
}

/// The communication of a step of a factorisation, for --json.
inline nlohmann::ordered_json step_json(const CommunicationCost& cost) {
  return {{"words", cost.words}, {"messages", cost.messages}};
}

/// The line of a step in the table.
inline std::string step_line(const char* name, double seconds, const CommunicationCost& sent) {
  return fmt::format("  {:<24} {:>10.4f} s {:>14.0f} words {:>8.0f} messages\n", name, seconds,
                     sent.words, sent.messages);
}

}  // namespace cuboid::detail::tools
