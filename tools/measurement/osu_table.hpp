#pragma once

#include <cuboid/buffer.hpp>

#include "tools/measurement/overlap.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A table in the format of the OSU Micro-Benchmarks 7: comment lines, the names of the columns,
/// and numbers that are right-aligned in the columns where scripts for OSU's output expect them.
class OsuTable {
 public:
  /// @param head     comment lines, without "# "; an empty string is an empty line.
  /// @param columns  the columns' names, without that of the message size.
  /// @param sizes    true if the first column is the message size.
  OsuTable(std::vector<std::string> head, std::vector<std::string> columns, bool sizes = true);

  /// The comment lines and the columns' names.
  std::string head() const;
  /// One line of numbers.
  std::string row(std::size_t bytes, const std::vector<std::string>& values) const;

 private:
  std::size_t width(std::size_t column) const;

  std::vector<std::string> head_;
  std::vector<std::string> columns_;
  bool sizes_;
};

/// "OSU MPI Latency Test v7.4".
std::string osu_title(const std::string& test);
/// The title of a measurement that OSU does not have.
std::string own_title(const std::string& test);
/// "Datatype: MPI_CHAR.".
std::string osu_datatype(Datatype type);

/// A number in the format of OSU's tables.
std::string osu_number(double value);
std::string osu_microseconds(double seconds);
/// "Pass" or "Fail"; empty if nothing was checked.
std::vector<std::string> osu_validation(const std::optional<std::uint64_t>& errors);

/// "P50 Tail Lat(us)" for each percentile, where the quantity is "Lat(us)".
std::vector<std::string> osu_tail_columns(const std::vector<int>& percentiles,
                                          const char* quantity);

/// The names and values of the columns of a non-blocking test.
std::vector<std::string> osu_overlap_columns(bool full);
std::vector<std::string> osu_overlap_values(const Overlap& overlap, bool full);

}  // namespace cuboid::detail::tools
