#include "base/page_text.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

constexpr std::size_t gap = 2;  // spaces between columns

/// The columns of UTF-8 text: bytes that begin a character, without what sets a terminal's colours.
std::size_t width_of(std::string_view text) {
  constexpr unsigned char mask = 0xC0, continuation = 0x80;
  constexpr char escape = '\x1b', end_of_colour = 'm';
  bool in_colour = false;
  return static_cast<std::size_t>(std::ranges::count_if(text, [&](char c) {
    const bool seen = !in_colour && c != escape;
    in_colour = in_colour ? c != end_of_colour : c == escape;
    return seen && (static_cast<unsigned char>(c) & mask) != continuation;
  }));
}

std::string folded_line(std::string_view line, std::size_t indent) {
  if (width_of(line) <= page_width) return std::string(line) + "\n";
  std::string text;
  std::size_t column = 0;
  bool begun = false;  // a word stands on this line, after the indentation
  while (!line.empty()) {
    // A word takes the spaces before it along, unless it begins a line.
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view word = line.substr(0, line.find(' ', start));
    const std::size_t width = width_of(word);
    if (begun && column + width > page_width) {
      text += "\n" + std::string(indent, ' ');
      text += word.substr(start);
      column = indent + width - start;
    } else {
      text += word;
      column += width;
    }
    begun = begun || start < word.size();
    line.remove_prefix(word.size());
  }
  return text + "\n";
}

/// Some of a table's columns with all rows.
std::string part_of(const std::vector<std::string>& heads, const std::vector<PageRow>& rows,
                    const std::vector<std::size_t>& columns,
                    const std::vector<std::size_t>& widths) {
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (const std::size_t column : columns) {
      const std::string space(widths[column] - width_of(cells[column]), ' ');
      const bool left = column == columns.front();
      text += left ? cells[column] + space : std::string(gap, ' ') + space + cells[column];
    }
    return text + "\n";
  };
  std::string text = line(heads);
  std::string section;
  for (const PageRow& row : rows) {
    if (row.section != section && !row.section.empty()) text += row.section + "\n";
    section = row.section;
    text += line(row.cells);
  }
  return text;
}

}  // namespace

std::string folded(std::string_view text, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result += folded_line(line, indent);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return result;
}

std::string page_table(const std::vector<std::string>& heads, std::size_t labels,
                       const std::vector<PageRow>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < heads.size(); ++column) {
    widths.push_back(width_of(heads[column]));
    for (const PageRow& row : rows)
      widths.back() = std::max(widths.back(), width_of(row.cells[column]));
  }
  std::vector<std::size_t> label_columns;
  std::size_t label_width = 0;
  for (std::size_t column = 0; column < labels; ++column) {
    label_columns.push_back(column);
    label_width += widths[column] + (column > 0 ? gap : 0);
  }
  std::string text;
  for (std::size_t next = labels; next < heads.size();) {
    std::vector<std::size_t> columns = label_columns;
    std::size_t width = label_width;
    do {
      width += gap + widths[next];
      columns.push_back(next++);
    } while (next < heads.size() && width + gap + widths[next] <= page_width);
    text += (text.empty() ? "" : "\n") + part_of(heads, rows, columns, widths);
  }
  return text;
}

}  // namespace cuboid::detail
