#include "topology/slurm/slurm_entries.hpp"

#include "topology/machine/topology_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_known_key(std::string_view key) {
  // Only scontrol prints the keys of the second line.
  constexpr std::array<std::string_view, 10> known = {
      "switchname", "switches", "nodes",      "linkspeed", "blockname",
      "blocksizes", "level",    "blockindex", "blocksize", "aggregatedblock"};
  return std::ranges::find(known, key) != known.end();
}

SlurmEntry parse_entry(const TextFile& file, int line, std::string_view text) {
  SlurmEntry entry{&file, line, {}};
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
    if (std::ranges::find(entry.values, key, &std::pair<std::string, std::string>::first) !=
        entry.values.end())
      fail_at(file, line, fmt::format("{} is given twice", in_quotes(key)));
    entry.values.emplace_back(key, word.substr(equals + 1));
  }
  return entry;
}

/// Reads a file and the files that it includes.
class EntryReader {
 public:
  explicit EntryReader(const TextFile& root) : root_(root) {}

  std::vector<SlurmEntry> entries() {
    read(root_);
    return std::move(entries_);
  }

 private:
  void read(const TextFile& file) {
    ++depth_;
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
      if (const auto name = include_of(whole)) {
        read_included(file, number, path_named_in(file.name, *name));
        continue;
      }
      SlurmEntry entry =
          parse_entry(file, number, std::string_view(whole).substr(0, whole.find('#')));
      if (!entry.values.empty()) entries_.push_back(std::move(entry));
    }
    --depth_;
  }

  void read_included(const TextFile& by, int line, const std::string& path) {
    constexpr int deepest = 8;
    if (depth_ > deepest)
      fail_at(by, line, fmt::format("more than {} levels of Include lines", deepest));
    const auto found = std::ranges::find(root_.included, path, &TextFile::name);
    if (found == root_.included.end())
      fail_at(by, line, fmt::format("the included file {} cannot be read", in_quotes(path)));
    if (std::ranges::find(read_, &*found) != read_.end())
      fail_at(by, line, fmt::format("{} is included twice", in_quotes(path)));
    read_.push_back(&*found);
    read(*found);
  }

  const TextFile& root_;
  std::vector<const TextFile*> read_;
  int depth_ = 0;
  std::vector<SlurmEntry> entries_;
};

}  // namespace

const std::string* SlurmEntry::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
  const bool there = found != values.end() && !found->second.empty() && found->second != "(null)";
  return there ? &found->second : nullptr;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<SlurmEntry> parse_slurm_entries(const TextFile& file) {
  return EntryReader(file).entries();
}

}  // namespace cuboid::detail
