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

std::string to_csv(const nlohmann::ordered_json& rows) {
  if (rows.empty()) return "";
  std::vector<std::string> fields;
  for (const auto& [name, value] : rows.front().items()) fields.push_back(field(name));
  std::string text = fmt::format("{}\n", fmt::join(fields, ","));
  for (const auto& row : rows) {
    fields.clear();
    for (const auto& value : row) fields.push_back(field(value));
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

}  // namespace cuboid::detail::tools
