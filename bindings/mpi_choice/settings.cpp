#include "bindings/mpi_choice/settings.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::drop_in {

namespace {

std::bitset<calls_in_all> parse_operations(std::string_view text) {
  std::bitset<calls_in_all> operations;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto called = called_by(text.substr(begin, end - begin));
    if (!called) {
      throw Error(ErrorCode::parse, fmt::format("CUBOID_MPI_OPERATIONS=\"{}\": give names as "
                                                "bcast,allreduce,reduce_scatter_block",
                                                text));
    }
    operations.set(static_cast<std::size_t>(*called));
    begin = end + 1;
  }
  return operations;
}

}  // namespace

Settings Settings::read(const Environment::Lookup& lookup) {
  Settings settings;
  settings.mode = read_mode(lookup, "CUBOID_MPI");
  if (const auto text = lookup("CUBOID_MPI_OPERATIONS")) {
    settings.operations = parse_operations(*text);
  }
  if (settings.force()) settings.floor_bytes = 0;
  settings.counts = Environment::read(lookup).log_level >= LogLevel::info;
  return settings;
}

const Settings& settings() {
  static const Settings read = read_or_off<Settings>("cuboid-mpi");
  return read;
}

}  // namespace cuboid::detail::drop_in
