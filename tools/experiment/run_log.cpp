#include "tools/experiment/run_log.hpp"

#include <cuboid/error.hpp>

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

using Json = nlohmann::ordered_json;

RunLog::RunLog(std::string path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) return;
  std::ifstream file(path_);
  if (!file) throw Error(ErrorCode::io, fmt::format("{}: cannot be read", path_));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    cut_short_ = file.eof();
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_object() && record.contains("command") && record["command"].is_string() &&
        record.contains("result")) {
      results_[record["command"]] = record["result"];
    } else if (!cut_short_) {
      throw Error(ErrorCode::parse,
                  fmt::format("{}:{}: the line is not a record of a run: give another --output",
                              path_, number));
    }
  }
}

const Json* RunLog::find(const std::string& command) const {
  const auto found = results_.find(command);
  return found == results_.end() ? nullptr : &found->second;
}

void RunLog::add(const std::string& command, const Json& result) {
  std::ofstream file(path_, std::ios::app);
  file << (cut_short_ ? "\n" : "") << Json{{"command", command}, {"result", result}}.dump() << "\n";
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("{}: cannot be written", path_));
  cut_short_ = false;
  results_[command] = result;
}

}  // namespace cuboid::detail::tools
