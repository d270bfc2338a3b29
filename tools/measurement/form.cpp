#include "tools/measurement/form.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

std::string field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_head(const nlohmann::ordered_json& row) {
  std::vector<std::string> names;
  for (const auto& member : row.items()) names.push_back(field(member.key()));
  return fmt::format("{}\n", fmt::join(names, ","));
}

std::string csv_line(const nlohmann::ordered_json& row) {
  std::vector<std::string> values;
  for (const auto& value : row) values.push_back(field(value));
  return fmt::format("{}\n", fmt::join(values, ","));
}

std::string to_csv(const nlohmann::ordered_json& rows) {
  if (rows.empty()) return "";
  std::string text = csv_head(rows.front());
  for (const auto& row : rows) text += csv_line(row);
  return text;
}

}  // namespace cuboid::detail::tools
