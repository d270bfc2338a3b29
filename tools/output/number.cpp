#include "tools/output/number.hpp"

#include <cuboid/error.hpp>

#include "base/byte_count.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Removes a signed real number from the front of `text` and returns it.
std::optional<double> take_real(std::string_view& text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
    if (digits.starts_with('+') || digits.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  digits.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  text = digits;
  return value;
}

bool is_imaginary_unit(std::string_view text) {
  return text == "i" || text == "j";
}

std::optional<std::complex<double>> parse(std::string_view text) {
  double real = 0;
  // There are at most two parts: a real and an imaginary one.
  for (int part = 0; part < 2; ++part) {
    if (is_imaginary_unit(text) || text == "+i" || text == "+j") return {{real, 1}};
    if (text == "-i" || text == "-j") return {{real, -1}};
    const auto value = take_real(text);
    if (!value) return std::nullopt;
    if (is_imaginary_unit(text)) return {{real, *value}};
    if (part == 1) return std::nullopt;
    if (text.empty()) return {{*value, 0}};
    if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
    real = *value;
  }
  return std::nullopt;
}

}  // namespace

std::complex<double> parse_number(const std::string& flag, const std::string& text) {
  const auto value = parse(text);
  if (!value) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} {}: not a number: give one like 2, -1.5e3 or 1+2i", flag, text));
  }
  return *value;
}

std::int64_t parse_bytes(const std::string& flag, const std::string& text) {
  const auto bytes = parse_byte_count(text);
  if (!bytes || *bytes < 1) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} {}: not an amount of memory: give one like 4096, 64K or 1.5G", flag, text));
  }
  return *bytes;
}

std::string bytes_to_string(double bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 2, units[unit]);
}

}  // namespace cuboid::detail::tools
