#include "topology/sources/slurm_entries.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_known_key(std::string_view key) {
  constexpr std::array<std::string_view, 6> known = {"switchname", "switches",  "nodes",
                                                     "linkspeed",  "blockname", "blocksizes"};
  return std::ranges::find(known, key) != known.end();
}

SlurmEntry parse_entry(const TextFile& file, int line, std::string_view text) {
  SlurmEntry entry{line, {}};
  Cursor cursor(text);
  for (cursor.skip_spaces(); !cursor.at_end(); cursor.skip_spaces()) {
    const std::string_view word = cursor.take_word();
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      fail_at(file, line,
              fmt::format("expected key=value, such as Nodes=n[0-3], not {}", in_quotes(word)));
    }
    const std::string key = lower_case(word.substr(0, equals));
    if (!is_known_key(key))
      fail_at(file, line, fmt::format("unknown key {}", in_quotes(word.substr(0, equals))));
    if (entry.find(key) != nullptr)
      fail_at(file, line, fmt::format("{} is given twice", in_quotes(key)));
    entry.values.emplace_back(key, word.substr(equals + 1));
  }
  return entry;
}

}  // namespace

const std::string* SlurmEntry::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
  return found == values.end() ? nullptr : &found->second;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<SlurmEntry> parse_slurm_entries(const TextFile& file) {
  std::vector<SlurmEntry> entries;
  LineReader lines(file);
  while (const auto first = lines.next()) {
    const int number = lines.number();
    std::string whole(*first);
    while (whole.ends_with('\\')) {
      whole.pop_back();
      const auto continued = lines.next();
      if (!continued) break;
      whole += *continued;
    }
    SlurmEntry entry =
        parse_entry(file, number, std::string_view(whole).substr(0, whole.find('#')));
    if (!entry.values.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace cuboid::detail
