#include "base/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

const LocatedJson::Members& JsonReader::members(const LocatedJson& value) const {
  const auto* members = value.as<LocatedJson::Members>();
  if (members == nullptr) fail(value, "expected an object {...}");
  return *members;
}

void JsonReader::check_keys(const LocatedJson& object,
                            std::span<const std::string_view> known) const {
  for (const auto& [key, value] : members(object)) {
    if (std::ranges::find(known, key) == known.end())
      fail(value, fmt::format("unknown key {}", in_quotes(key)));
  }
}

const LocatedJson* JsonReader::find(const LocatedJson& object, std::string_view key) const {
  const auto& all = members(object);
  const auto found = std::ranges::find(all, key, &std::pair<std::string, LocatedJson>::first);
  return found == all.end() ? nullptr : &found->second;
}

const LocatedJson& JsonReader::need(const LocatedJson& object, std::string_view key) const {
  const LocatedJson* value = find(object, key);
  if (value == nullptr) fail(object, fmt::format("the key \"{}\" is missing", key));
  return *value;
}

const LocatedJson::List& JsonReader::list(const LocatedJson& object, std::string_view key) const {
  const LocatedJson& value = need(object, key);
  const auto* list = value.as<LocatedJson::List>();
  if (list == nullptr) fail(value, fmt::format("\"{}\" is not a list", key));
  return *list;
}

const std::string& JsonReader::text(const LocatedJson& value, std::string_view what) const {
  const auto* text = value.as<std::string>();
  if (text == nullptr || text->empty()) fail(value, fmt::format("expected {}", what));
  return *text;
}

double JsonReader::not_negative(const LocatedJson& value) const {
  const auto* number = value.as<double>();
  constexpr double most = 1e18;  // sums and products of larger numbers may not be finite
  if (number == nullptr || !std::isfinite(*number) || *number < 0)
    fail(value, "expected a number that is not negative");
  if (*number > most) fail(value, "expected a number of at most 1e18");
  return *number;
}

double JsonReader::number(const LocatedJson& value, double least, double most,
                          std::string_view what) const {
  const double given = not_negative(value);
  if (given < least || given > most) fail(value, what);
  return given;
}

double JsonReader::whole_number(const LocatedJson& value, double least, double most,
                                std::string_view what) const {
  const double whole = number(value, least, most, what);
  if (whole != std::floor(whole)) fail(value, what);
  return whole;
}

}  // namespace cuboid::detail
