#pragma once

#include "tools/figures/figure.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The figures by name, one per line.
std::string list_text();
nlohmann::ordered_json list_json();

/// The comparisons with the paper's numbers, then the curves' points, as text.
std::string to_text(const FigureEntry& entry, const Figure& figure);

/// {name, summary, comparisons: [{what, ours, paper, difference, why}], curves: [{name, points}],
/// x_axis, y_axis, notes}.
nlohmann::ordered_json to_json(const FigureEntry& entry, const Figure& figure);

}  // namespace cuboid::detail::tools
