#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What has been run, kept in a file with one JSON object per line: {command, result}. A run is
/// known by its command, so experiments share runs, and what an interrupted one has run is not run
/// again.
class RunLog {
 public:
  /// Reads the file, if it is there. A last line that an interruption cut short counts for nothing.
  /// Throws Error(parse) naming the file and the line if it is no such file, Error(io) if it cannot
  /// be read.
  explicit RunLog(std::string path);

  /// The result of a command; nullptr if it has not been run.
  const nlohmann::ordered_json* find(const std::string& command) const;
  /// Keeps a result, in the file, too. Throws Error(io) if it cannot be written.
  void add(const std::string& command, const nlohmann::ordered_json& result);

 private:
  std::string path_;
  bool cut_short_ = false;  ///< the file's last line has no end
  std::map<std::string, nlohmann::ordered_json> results_;
};

}  // namespace cuboid::detail::tools
