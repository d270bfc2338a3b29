#include "topology/shape/rate.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail {
namespace {

struct Unit {
  std::string_view name;
  double bytes_per_second;
};

constexpr std::array<Unit, 7> units = {{{"", 1},
                                        {"kbit", 1e3 / 8},
                                        {"mbit", 1e6 / 8},
                                        {"gbit", 1e9 / 8},
                                        {"kB/s", 1e3},
                                        {"MB/s", 1e6},
                                        {"GB/s", 1e9}}};

}  // namespace

std::optional<double> parse_rate(std::string_view text) {
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (text != unit.name) continue;
    const double rate = amount * unit.bytes_per_second;
    if (!std::isfinite(rate) || rate < 0) return std::nullopt;
    return rate;
  }
  return std::nullopt;
}

std::string rate_to_string(double bytes_per_second) {
  std::string shortest = fmt::format("{}", bytes_per_second);
  for (const Unit& unit : units) {
    const std::string text =
        fmt::format("{}{}", bytes_per_second / unit.bytes_per_second, unit.name);
    if (text.size() < shortest.size() && parse_rate(text) == bytes_per_second) shortest = text;
  }
  return shortest;
}

}  // namespace cuboid::detail
