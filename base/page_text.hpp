#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Text is laid out for this many columns, wherever it goes: a pipe gets what a terminal gets.
inline constexpr std::size_t page_width = 80;

/// The text with lines of at most page_width columns: longer lines are broken at spaces, and what
/// goes on is indented. A word that is longer stays whole.
/// @param text    lines; each ends in a newline
/// @param indent  spaces before what goes on; less than page_width
std::string folded(std::string_view text, std::size_t indent);

/// A row of a table. Cells may be coloured.
struct PageRow {
  std::string section;  ///< a line of its own above the first row that has it; empty: none
  std::vector<std::string> cells;  ///< as many as the table has heads
};

/// A table of at most page_width columns: the columns that do not fit beside each other stand below
/// each other, and each part repeats the labels. A column is as wide as its widest cell; the first
/// is aligned to the left. A part of labels and one column may be wider.
/// @param heads   the columns' names
/// @param labels  how many of the columns, at least one, say what a row is; fewer than the heads
std::string page_table(const std::vector<std::string>& heads, std::size_t labels,
                       const std::vector<PageRow>& rows);

}  // namespace cuboid::detail
