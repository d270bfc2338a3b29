#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// A log of runs in a file with one JSON object per line: {command, result}. A command identifies
/// its run, so experiments share runs, and an interrupted experiment continues where it stopped.
class RunLog {
 public:
  /// Reads the file if it exists. If an interruption cut the last line short, the line is ignored.
  /// Throws Error(parse), which names the file and the line, if the file is not a log, Error(io) if
  /// it cannot be read.
  explicit RunLog(std::string path);

  /// The result of a command; nullptr if the command has not been run.
  const nlohmann::ordered_json* find(const std::string& command) const;
  /// Adds a result to the log and the file. Throws Error(io) if the file cannot be written.
  void add(const std::string& command, const nlohmann::ordered_json& result);

 private:
  std::string path_;
  bool cut_short_ = false;  ///< the file's last line lacks its newline
  std::map<std::string, nlohmann::ordered_json> results_;
};

}  // namespace cuboid::detail::tools
