#include "topology/shape/rate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail {
namespace {

struct Unit {
  std::string_view name;
  double bytes_per_second;
};

constexpr std::array<Unit, 5> units_of_bits = {{{"bit", 1.0 / 8},
                                                {"kbit", 1e3 / 8},
                                                {"mbit", 1e6 / 8},
                                                {"gbit", 1e9 / 8},
                                                {"tbit", 1e12 / 8}}};
constexpr std::array<Unit, 4> units_of_bytes = {
    {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}}};

std::optional<double> bytes_per_second_of_unit(std::string_view name) {
  if (name.empty()) return units_of_bits.front().bytes_per_second;
  const auto* const bytes = std::ranges::find(units_of_bytes, name, &Unit::name);
  if (bytes != units_of_bytes.end()) return bytes->bytes_per_second;
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const bits = std::ranges::find(units_of_bits, lower, &Unit::name);
  if (bits != units_of_bits.end()) return bits->bytes_per_second;
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_rate(std::string_view text) {
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  const std::optional<double> unit = bytes_per_second_of_unit(text);
  if (!unit) return std::nullopt;
  const double rate = amount * *unit;
  if (!std::isfinite(rate) || std::signbit(rate)) return std::nullopt;
  return rate;
}

std::string rate_to_string(double bytes_per_second) {
  if (bytes_per_second == 0) return "0";
  std::string shortest;
  for (const Unit& unit : units_of_bits) {
    std::string text = fmt::format("{}{}", bytes_per_second / unit.bytes_per_second, unit.name);
    if ((shortest.empty() || text.size() < shortest.size()) && parse_rate(text) == bytes_per_second)
      shortest = std::move(text);
  }
  return shortest.empty() ? fmt::format("{}B/s", bytes_per_second) : shortest;
}

std::string rounded_rate(double bytes_per_second) {
  const auto fits = [&](const Unit& unit) { return bytes_per_second >= unit.bytes_per_second; };
  const auto greatest = std::find_if(units_of_bits.rbegin(), units_of_bits.rend(), fits);
  const Unit& unit = greatest == units_of_bits.rend() ? units_of_bits.front() : *greatest;
  return fmt::format("{:.4g}{}", bytes_per_second / unit.bytes_per_second, unit.name);
}

}  // namespace cuboid::detail
