#include <cuboid/environment.hpp>

#include <cstdio>

#include <fmt/format.h>

namespace cuboid {

namespace {

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::error: return "error";
    case LogLevel::warn: return "warn";
    case LogLevel::info: return "info";
    case LogLevel::debug: return "debug";
  }
  return "unknown";
}

}  // namespace

void Logger::write(LogLevel level, std::string_view message) const {
  if (!enabled(level)) return;
  // Writes each line by one fwrite, so that lines of different ranks do not mix.
  const std::string line = fmt::format("cuboid[{}]: {}: {}\n", rank_, name(level), message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cuboid
