#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuboid::detail::tools {

/// A line of a plot.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Curves over common axes.
struct Plot {
  std::string title;
  std::string x_axis;
  std::string y_axis;
  bool logarithmic_x = true;
  bool logarithmic_y = false;
  std::vector<Curve> curves;
};

/// A number of ours beside the one that a paper gives.
struct Comparison {
  std::string what;
  double ours = 0;
  std::optional<double> paper;  ///< nullopt where its text does not give it
  std::string why;              ///< they differ by more than agreement; empty where they do not

  /// ours/paper − 1; nullopt without a number of the paper, or with 0.
  std::optional<double> difference() const;
};

/// Numbers that differ by more than this share must say why.
inline constexpr double agreement = 0.05;

/// What a figure or table of a paper says, worked out anew.
struct Figure {
  Plot plot;
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;
};

/// A figure that can be had by name.
struct FigureEntry {
  std::string_view name;     ///< "004-fig7"
  std::string_view summary;  ///< one line for people
  Figure (*make)();
};

/// All there are.
std::span<const FigureEntry> figures();
/// The one of a name; nullptr where there is none.
const FigureEntry* find_figure(std::string_view name);

/// The papers' figures, one file per theme.
Figure multicast_on_ring();           // 004 fig 7
Figure multicast_on_grid();           // 004 fig 8
Figure multicast_on_cube();           // 004 fig 9
Figure multicast_at_exascale();       // 004 fig 12
Figure multiplication_at_exascale();  // 004 fig 13 (a)
Figure lu_at_exascale();              // 004 fig 13 (b)
Figure groups_on_grid5000();          // 003 §V-A
Figure groups_on_blue_gene();         // 003 §V-B
Figure groups_at_exascale();          // 003 fig 10
Figure decompositions();              // 000 table 3, general case
Figure decompositions_of_square();    // 000 table 3, limited memory
Figure decompositions_of_tall();      // 000 table 3, extra memory
Figure idle_rank();                   // 000 fig 5
Figure volumes();                     // 000 table 4
Figure split_dimensions();            // 002 §3
Figure one_sided();                   // 001 §2.1

}  // namespace cuboid::detail::tools
