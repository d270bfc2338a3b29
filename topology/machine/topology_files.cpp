#include "topology/machine/topology_files.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr std::size_t most_included = 64;

/// Appends the files that `file` includes and that are not in the list yet.
void read_included_by(const TextFile& file, std::vector<TextFile>& included) {
  LineReader lines(file);
  while (const auto line = lines.next()) {
    const auto name = include_of(*line);
    if (!name || included.size() == most_included) continue;
    std::string path = path_named_in(file.name, *name);
    if (std::ranges::find(included, path, &TextFile::name) != included.end()) continue;
    try {
      included.push_back(read_text_file(path));
    } catch (const Error&) {
      continue;
    }
  }
}

}  // namespace

TextFile read_topology_file(const std::string& path) {
  TextFile file = read_text_file(path);
  std::vector<TextFile> included;
  read_included_by(file, included);
  for (std::size_t next = 0; next < included.size(); ++next) {
    const TextFile one = included[next];  // a copy, because the list moves when it grows
    read_included_by(one, included);
  }
  file.included = std::move(included);
  return file;
}

std::optional<std::string> include_of(std::string_view line) {
  Cursor cursor(line.substr(0, line.find('#')));
  cursor.skip_spaces();
  constexpr std::string_view key = "include";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (!std::ranges::equal(cursor.take_word(), key, same)) return std::nullopt;
  cursor.skip_spaces();
  const std::string_view name = cursor.take_word();
  cursor.skip_spaces();
  if (name.empty() || !cursor.at_end()) return std::nullopt;
  return std::string(name);
}

std::string path_named_in(const std::string& file, const std::string& name) {
  return (std::filesystem::path(file).parent_path() / name).lexically_normal();
}

}  // namespace cuboid::detail
