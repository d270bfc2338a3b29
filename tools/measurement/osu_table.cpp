#include "tools/measurement/osu_table.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr std::size_t first_width = 10;
constexpr std::size_t number_width = 18;
constexpr std::size_t iterations_width = 12;

}  // namespace

OsuTable::OsuTable(std::vector<std::string> head, std::vector<std::string> columns, bool sizes)
    : head_(std::move(head)), columns_(std::move(columns)), sizes_(sizes) {}

std::string OsuTable::head() const {
  std::string text;
  for (const std::string& line : head_) text += line.empty() ? "\n" : fmt::format("# {}\n", line);
  text += sizes_ ? fmt::format("{:<{}}", "# Size", first_width) : "# ";
  for (std::size_t i = 0; i < columns_.size(); ++i)
    text += fmt::format("{:>{}}", columns_[i], !sizes_ && i == 0 ? 0 : width(i));
  return text + "\n";
}

std::size_t OsuTable::width(std::size_t column) const {
  if (columns_[column] == "Iterations") return iterations_width;
  return !sizes_ && column == 0 ? columns_[column].size() + 2 : number_width;
}

std::string OsuTable::row(std::size_t bytes, const std::vector<std::string>& values) const {
  std::string text;
  if (sizes_) text += fmt::format("{:<{}}", bytes, first_width);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    text += fmt::format("{:>{}}", values.at(i), width(i));
  return text + "\n";
}

std::string osu_title(const std::string& test) {
  return fmt::format("OSU {} v7.4", test);
}

std::string own_title(const std::string& test) {
  return fmt::format("Cuboid {}", test);
}

std::string osu_datatype(Datatype type) {
  const auto name = [&]() -> std::string {
    switch (type.kind()) {
      case Datatype::Kind::int8: return "MPI_CHAR";
      case Datatype::Kind::byte: return "MPI_BYTE";
      case Datatype::Kind::int16: return "MPI_INT16_T";
      case Datatype::Kind::int32: return "MPI_INT";
      case Datatype::Kind::int64: return "MPI_INT64_T";
      case Datatype::Kind::uint8: return "MPI_UINT8_T";
      case Datatype::Kind::uint16: return "MPI_UINT16_T";
      case Datatype::Kind::uint32: return "MPI_UINT32_T";
      case Datatype::Kind::uint64: return "MPI_UINT64_T";
      case Datatype::Kind::float32: return "MPI_FLOAT";
      case Datatype::Kind::float64: return "MPI_DOUBLE";
      case Datatype::Kind::complex64: return "MPI_C_FLOAT_COMPLEX";
      case Datatype::Kind::complex128: return "MPI_C_DOUBLE_COMPLEX";
      default: return to_string(type);
    }
  }();
  return fmt::format("Datatype: {}.", name);
}

std::string osu_number(double value) {
  return fmt::format("{:.2f}", value);
}

std::string osu_microseconds(double seconds) {
  return osu_number(seconds * 1e6);
}

std::vector<std::string> osu_validation(const std::optional<std::uint64_t>& errors) {
  if (!errors) return {};
  return {*errors == 0 ? "Pass" : "Fail"};
}

std::vector<std::string> osu_tail_columns(const std::vector<int>& percentiles,
                                          const char* quantity) {
  std::vector<std::string> columns;
  for (const int percentile : percentiles)
    columns.push_back(fmt::format("P{} Tail {}", percentile, quantity));
  return columns;
}

std::vector<std::string> osu_overlap_columns(bool full) {
  if (!full) return {"Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)"};
  return {"Overall(us)",    "Compute(us)",   "Coll. Init(us)", "MPI_Test(us)", "MPI_Wait(us)",
          "Pure Comm.(us)", "Min Comm.(us)", "Max Comm.(us)",  "Overlap(%)"};
}

std::vector<std::string> osu_overlap_values(const Overlap& overlap, bool full) {
  std::vector<std::string> values = {osu_microseconds(overlap.overall),
                                     osu_microseconds(overlap.compute)};
  if (full) {
    // No MPI_Test is called between start and wait.
    for (const double seconds : {overlap.start, 0.0, overlap.wait})
      values.push_back(osu_microseconds(seconds));
  }
  values.push_back(osu_microseconds(overlap.pure));
  if (full) {
    values.push_back(osu_microseconds(overlap.least_pure));
    values.push_back(osu_microseconds(overlap.most_pure));
  }
  values.push_back(osu_number(overlap.percent()));
  return values;
}

}  // namespace cuboid::detail::tools
