#include "bindings/mpi_choice/settings.hpp"

#include <cuboid/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail::drop_in {

namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Settings::Mode parse_mode(const std::string& text) {
  if (text == "off") return Settings::Mode::off;
  if (text == "on") return Settings::Mode::on;
  if (text == "force") return Settings::Mode::force;
  throw Error(ErrorCode::parse, fmt::format("CUBOID_MPI=\"{}\": give one of off, on, force", text));
}

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

/// Told before MPI is initialised, as launchers say it; true where none does.
bool is_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const auto rank = variable(name)) return *rank == "0";
  }
  return true;
}

/// A program that would run without the drop-in runs with it: what cannot be read turns it off.
Settings read_or_off() noexcept {
  try {
    static_cast<void>(Environment::read(variable));  // so that all ranks fail here or none
    return Settings::read(variable);
  } catch (const std::exception& error) {
    if (is_rank_0()) std::fprintf(stderr, "cuboid-mpi: %s; the drop-in is off\n", error.what());
    Settings settings;
    settings.mode = Settings::Mode::off;
    return settings;
  }
}

}  // namespace

Settings Settings::read(const Environment::Lookup& lookup) {
  Settings settings;
  if (const auto text = lookup("CUBOID_MPI")) settings.mode = parse_mode(*text);
  if (const auto text = lookup("CUBOID_MPI_OPERATIONS")) {
    settings.operations = parse_operations(*text);
  }
  if (settings.force()) settings.floor_bytes = 0;
  settings.counts = Environment::read(lookup).log_level >= LogLevel::info;
  return settings;
}

const Settings& settings() {
  static const Settings read = read_or_off();
  return read;
}

}  // namespace cuboid::detail::drop_in
