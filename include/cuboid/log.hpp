#pragma once

#include <cuboid/export.hpp>

#include <string_view>

namespace cuboid {

/// The level of messages on standard error (CUBOID_LOG). Each level includes those before it.
enum class LogLevel { error, warn, info, debug };

/// Writes whole lines "cuboid[rank]: level: message" to standard error. A value, to be copied
/// freely.
class CUBOID_API Logger {
 public:
  Logger() = default;
  Logger(LogLevel level, int rank) : level_(level), rank_(rank) {}

  LogLevel level() const { return level_; }
  bool enabled(LogLevel level) const { return level <= level_; }

  void warn(std::string_view message) const { write(LogLevel::warn, message); }
  void info(std::string_view message) const { write(LogLevel::info, message); }
  void debug(std::string_view message) const { write(LogLevel::debug, message); }

 private:
  void write(LogLevel level, std::string_view message) const;

  LogLevel level_ = LogLevel::warn;
  int rank_ = 0;
};

}  // namespace cuboid
