#include "bindings/dropin/settings.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::drop_in {

namespace {

/// The collectives of a list of names.
std::vector<Called> parse_operations(std::string_view text) {
  std::vector<Called> operations;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto called = called_by(text.substr(begin, end - begin));
    if (!called) {
      throw Error(ErrorCode::parse, fmt::format("CUBOID_MPI_OPERATIONS=\"{}\": give names as "
                                                "bcast,allreduce,reduce_scatter_block",
                                                text));
    }
    operations.push_back(*called);
    begin = end + 1;
  }
  return operations;
}

/// Shorter calls cannot gain what a decision costs.
constexpr std::size_t least_that_pays = 4096;

}  // namespace

MpiSettings MpiSettings::read(const Environment::Lookup& lookup) {
  MpiSettings settings;
  settings.mode = read_mode(lookup, "CUBOID_MPI");
  const std::size_t least = settings.force() ? 0 : least_that_pays;
  const auto only = lookup("CUBOID_MPI_OPERATIONS");
  if (only) {
    for (const Called called : parse_operations(*only))
      settings.least_bytes[static_cast<std::size_t>(called)] = least;
  } else {
    settings.least_bytes = filled_with(least);
  }
  if (settings.mode == Mode::off) settings.least_bytes = filled_with(none);
  settings.counts = Environment::read(lookup).log_level >= LogLevel::info;
  return settings;
}

}  // namespace cuboid::detail::drop_in
