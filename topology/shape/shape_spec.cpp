#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "base/closest_name.hpp"
#include "topology/shape/rate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;
namespace {

/// The beginning of a text, short enough to quote it in one line: the text may have megabytes.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string beginning(text.substr(0, longest));
  std::ranges::replace_if(
      beginning, [](unsigned char c) { return !std::isprint(c); }, '?');
  return fmt::format("\"{}{}\"", beginning, text.size() > longest ? "..." : "");
}

/// Reads a spec from left to right. Every view that it cuts off refers to the whole text, so that
/// an error can tell the position.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ShapeSpec parse() {
    if (text_ == "node") return {};
    std::string_view rest = text_;
    bool more = true;
    while (more) more = cut(rest, ',', [this](std::string_view part) { read_part(part); });
    try {
      return {Shape(std::move(axes_)), std::move(rates_)};
    } catch (const Error& error) {
      fail(text_, error.what());
    }
  }

 private:
  [[noreturn]] void fail(std::string_view where, std::string_view remedy) const {
    throw Error(ErrorCode::parse, fmt::format("shape {}, character {}: {}: {}", quoted(text_),
                                              where.data() - text_.data() + 1,
                                              where.empty() ? "nothing" : quoted(where), remedy));
  }

  /// Passes the text before `separator` to `read` and removes both from `rest`. Returns false if
  /// that was the last part.
  template <typename Read>
  static bool cut(std::string_view& rest, char separator, Read read) {
    const std::size_t end = rest.find(separator);
    read(rest.substr(0, end));
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 1);
    return true;
  }

  void read_part(std::string_view part) {
    const std::size_t colon = part.find(':');
    const std::string_view kind = part.substr(0, colon);
    static const std::array<std::string, 4> kinds = {"torus", "mesh", "hypercube", "ring"};
    const bool known = std::ranges::find(kinds, kind) != kinds.end();
    if (!known || colon == std::string_view::npos) {
      fail(part,
           fmt::format("write torus:, mesh:, hypercube: or ring: and the extents, e.g. torus:4x4{}",
                       known ? "" : did_you_mean(kind, kinds)));
    }
    std::string_view body = part.substr(colon + 1);
    const std::size_t at = body.find('@');
    const std::size_t first_axis = axes_.size();
    read_extents(kind, body.substr(0, at));
    rates_.resize(axes_.size(), 0.0);
    if (at != std::string_view::npos) read_rates(body.substr(at + 1), first_axis);
  }

  void read_extents(std::string_view kind, std::string_view extents) {
    if (kind == "hypercube") {
      const int dimensions =
          read_number(extents, "write the number of dimensions, e.g. hypercube:4");
      for (int axis = 0; axis < dimensions; ++axis) add_axis(extents, {2, false});
    } else if (kind == "ring") {
      add_axis(extents, {read_number(extents, "write the number of nodes, e.g. ring:8"), true});
    } else {
      const auto read_extent = [&](std::string_view extent) {
        add_axis(extent, {read_number(extent, "write extents >= 1 joined by x, e.g. torus:4x3"),
                          kind == "torus"});
      };
      while (cut(extents, 'x', read_extent)) {
      }
    }
  }

  int read_number(std::string_view text, std::string_view remedy) const {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1) fail(text, remedy);
    return number;
  }

  void add_axis(std::string_view where, Axis axis) {
    if (axes_.size() == Shape::max_axes) {
      fail(where, fmt::format("a shape has at most {} axes", Shape::max_axes));
    }
    axes_.push_back(axis);
  }

  /// Reads "A", which gives every axis of the part the rate A, or "A/B", which gives the first axis
  /// the rate A and the second the rate B. The slash of "MB/s" belongs to its unit.
  void read_rates(std::string_view text, std::size_t first_axis) {
    const std::string_view whole = text;
    std::vector<double> rates;
    while (true) {
      std::size_t end = text.find('/');
      if (end != std::string_view::npos && end > 0 && text[end - 1] == 'B')
        end = text.find('/', end + 1);
      const std::string_view rate_text = text.substr(0, end);
      const std::optional<double> rate = parse_rate(rate_text);
      if (!rate)
        fail(rate_text, "write a rate such as 100mbit, 1.5GB/s or a number of bits per second");
      rates.push_back(*rate);
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    // 0 stands for an unknown rate only if other rates of the part are known.
    if (std::ranges::all_of(rates, [](double rate) { return rate == 0; }))
      fail(whole, "the rate must be greater than 0: give a rate, or leave it out");
    const std::size_t axes = axes_.size() - first_axis;
    if (rates.size() == 1) rates.resize(axes, rates.front());
    if (rates.size() != axes) {
      fail(whole,
           fmt::format("{} rates for {} axes; give one for all or one each", rates.size(), axes));
    }
    std::ranges::copy(rates, rates_.begin() + static_cast<std::ptrdiff_t>(first_axis));
  }

  std::string_view text_;
  std::vector<Axis> axes_;
  std::vector<double> rates_;
};

std::string rates_to_string(std::span<const double> rates) {
  const bool all_equal = std::ranges::all_of(rates, [&](double rate) { return rate == rates[0]; });
  if (all_equal) return rates[0] == 0 ? "" : '@' + rate_to_string(rates[0]);
  std::string text;
  for (const double rate : rates) text += (text.empty() ? '@' : '/') + rate_to_string(rate);
  return text;
}

}  // namespace

ShapeSpec parse_shape(std::string_view text) {
  return Parser(text).parse();
}

std::string to_string(const ShapeSpec& spec) {
  const std::vector<Axis>& axes = spec.shape.axes();
  if (axes.empty()) return spec.shape.to_string();
  if (spec.bytes_per_second.size() != axes.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} rates for {} axes of {}", spec.bytes_per_second.size(), axes.size(),
                            spec.shape.to_string()));
  }
  std::string text;
  for (std::size_t first = 0, last = 0; first < axes.size(); first = last) {
    while (last < axes.size() && axes[last].wraps == axes[first].wraps) ++last;
    const auto begin = axes.begin();
    const Shape part(
        {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)});
    if (first > 0) text += ',';
    text += part.to_string();
    text += rates_to_string(std::span(spec.bytes_per_second).subspan(first, last - first));
  }
  return text;
}

}  // namespace cuboid
