#pragma once

#include "tools/figures/printed_number.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuboid::detail::tools {

/// A curve of a plot.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool points_only = false;  ///< drawn without lines between the points
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

/// A computed number, beside the paper's if the paper prints one.
struct Comparison {
  /// The comparison with a number that the paper prints. `ours` must not be derived from that
  /// number.
  /// @param why  the calculation that explains a difference of more than `agreement`; used only if
  ///             there is such a difference.
  Comparison(const PrintedNumber& printed, double ours, std::string why = not_understood);
  /// A number of ours for which the paper prints no number: a formula or a count.
  Comparison(std::string what, double ours) : what(std::move(what)), ours(ours) {}

  static constexpr const char* not_understood = "differs, not understood";

  std::string what;
  double ours = 0;
  const PrintedNumber* printed = nullptr;  ///< nullptr if the paper prints none
  std::string why = {};                    ///< empty if the two numbers agree
  std::optional<double> x = {};            ///< where the plot shows the paper's number

  /// The same comparison, of values of the plot's y axis at this x: the plot shows the paper's.
  Comparison at(double x) const;

  /// The printed value; nullopt if there is none.
  std::optional<double> paper() const;
  /// ours/paper − 1; nullopt if the paper prints no number.
  std::optional<double> difference() const;
};

/// A difference of more than this share is explained, or declared as not understood.
inline constexpr double agreement = 0.05;

/// A recomputed figure or table of a paper.
struct Figure {
  Plot plot;
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;

  /// The plot with the paper's numbers as points.
  Plot plot_with_printed() const;
};

/// A figure and its name.
struct FigureEntry {
  std::string_view name;     ///< "rectangular-fig7"
  std::string_view summary;  ///< one line of text
  Figure (*make)();
};

/// All figures.
std::span<const FigureEntry> figures();
/// The figure with a name; nullptr if there is none.
const FigureEntry* find_figure(std::string_view name);

/// The papers' figures, one file per theme. A figure that the paper measured and that is computed
/// here from formulas has no figure's number in its name.
Figure multiplication_on_blue_gene();  // Solomonik et al. 2011, §3.2.2
Figure lu_strong_scaling();            // Solomonik et al. 2011, §3.2.1
Figure lu_communication_saved();       // Solomonik et al. 2011, §3.2.2
Figure multicast_on_ring();            // Solomonik et al. 2011, fig 7
Figure multicast_on_grid();            // Solomonik et al. 2011, fig 8
Figure multicast_on_cube();            // Solomonik et al. 2011, fig 9
Figure multicast_at_exascale();        // Solomonik et al. 2011, fig 12
Figure multiplication_at_exascale();   // Solomonik et al. 2011, fig 13 (a)
Figure lu_at_exascale();               // Solomonik et al. 2011, fig 13 (b)
Figure groups_on_grid5000();           // Quintin et al. 2013, §V-A
Figure groups_on_blue_gene();          // Quintin et al. 2013, §V-B
Figure groups_at_exascale();           // Quintin et al. 2013, fig 10
Figure decompositions();               // Kwasniewski et al. 2019, table 3, general case
Figure decompositions_of_square();     // Kwasniewski et al. 2019, table 3, limited memory
Figure decompositions_of_tall();       // Kwasniewski et al. 2019, table 3, extra memory
Figure traded_words();                 // Kwasniewski et al. 2019, §6.3
Figure sequential_words();             // Kwasniewski et al. 2019, listing 1, eqs 26 to 28
Figure idle_rank();                    // Kwasniewski et al. 2019, fig 5
Figure unfavourable_cores();           // Kwasniewski et al. 2019, §9
Figure volumes();                      // Kwasniewski et al. 2019, table 4
Figure split_dimensions();             // Solomonik and Demmel 2012, §3
Figure one_sided();                    // Krishnan and Nieplocha 2004, §2.1

}  // namespace cuboid::detail::tools
