#include "tools/experiment/experiment_run.hpp"

#include <cuboid/error.hpp>

#include "base/child_process.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The words of a command before the word `cuboid`, and the words after it.
struct Command {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

Command command_of(const Case& one, const Launch& launch) {
  Command command{launch.launcher, one.arguments};
  const std::string ranks = std::to_string(one.ranks);
  for (std::string& word : command.before) {
    const std::size_t at = word.find("{ranks}");
    if (at != std::string::npos) word.replace(at, std::string("{ranks}").size(), ranks);
  }
  const bool of_a_network = one.arguments.front() == "model" &&
                            std::ranges::find(one.arguments, "--network") != one.arguments.end();
  if (launch.launcher.empty() && !of_a_network) {
    command.after.emplace_back("--ranks");
    command.after.push_back(ranks);
  }
  return command;
}

/// False for rules of dashes and the like, which launchers print around what they say.
bool has_words(const std::string& line) {
  return std::ranges::any_of(line, [](unsigned char one) { return std::isalnum(one) != 0; });
}

/// The error message of the command that failed, in one line: Cuboid's, else the first line of the
/// launcher's.
std::string reason(const ChildResult& child) {
  if (child.timed_out) return "took too long: give a longer --limit";
  constexpr std::string_view mark = "cuboid: error: ";
  std::istringstream lines(child.errors);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(mark); at != std::string::npos)
      return line.substr(at + mark.size());
    if (first.empty() && has_words(line)) first = line;
  }
  return first.empty()
             ? fmt::format("ended with exit code {} and without a message", child.exit_code)
             : first;
}

ChildResult run_launched(const std::vector<std::string>& command, const Case& one,
                         const Launch& launch) {
  try {
    return run_child(command, one.variables, launch.limit);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: give a program of the path in --launch", error.what()));
  }
}

/// The last line that is a JSON object; launchers may print other lines before it.
std::optional<Json> printed_object(const std::string& output) {
  std::optional<Json> object;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    Json parsed = Json::parse(line, nullptr, false);
    if (parsed.is_object()) object = std::move(parsed);
  }
  return object;
}

/// The result of the command, from the log or by running it. If it failed, returns nullopt, and the
/// row states the reason.
std::optional<Json> result_of(const Case& one, const Launch& launch, RunLog& log, Row& row) {
  const std::string text = command_text(one, launch);
  if (const Json* const known = log.find(text)) return *known;
  const auto [before, after] = command_of(one, launch);
  std::vector<std::string> command = before;
  command.push_back(launch.program);
  command.insert(command.end(), after.begin(), after.end());
  const ChildResult child = run_launched(command, one, launch);
  const std::optional<Json> object = child.done() ? printed_object(child.output) : std::nullopt;
  if (object) {
    log.add(text, *object);
  } else {
    row.error = reason(child);
  }
  return object;
}

Row row_of(const Case& one, const Launch& launch) {
  return {.one = one,
          .command = command_text(one, launch),
          .measured = {},
          .modelled = {},
          .error = {}};
}

/// `cuboid model` needs no launcher.
Launch without_launcher(Launch launch) {
  launch.launcher.clear();
  return launch;
}

}  // namespace

std::string command_text(const Case& one, const Launch& launch) {
  const auto [before, after] = command_of(one, launch);
  std::vector<std::string> words = one.variables;
  words.insert(words.end(), before.begin(), before.end());
  words.emplace_back("cuboid");
  words.insert(words.end(), after.begin(), after.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<Row> run_cases(const Experiment& experiment, const std::vector<Case>& cases,
                           const Launch& launch, RunLog& log, Progress& progress,
                           const AfterRow& after_row) {
  std::vector<Row> rows;
  for (const Case& one : cases) {
    progress.step(fmt::format("{} on {}", one.variant, one.ranks));
    Row row = row_of(one, launch);
    if (const auto result = result_of(one, launch, log, row)) {
      read_measured(experiment.work, *result, row);
      if (experiment.work == Work::collective) {
        Case model = one;
        model.arguments = model_of_collective(*result, launch.parameters);
        model.variables.clear();
        Row modelled = row;
        if (!model.arguments.empty()) {
          if (const auto costs = result_of(model, without_launcher(launch), log, modelled))
            read_modelled(Work::collective, *costs, row);
        }
      }
    }
    rows.push_back(std::move(row));
    after_row(rows);
  }
  return rows;
}

std::vector<Row> run_models(const Experiment& experiment, const std::vector<Case>& cases,
                            const Launch& launch, RunLog& log, Progress& progress,
                            const AfterRow& after_row) {
  const Launch alone = without_launcher(launch);
  std::vector<Row> rows;
  for (const Case& one : cases) {
    progress.step(fmt::format("{} on {}", one.variant, one.ranks));
    Row row = row_of(one, alone);
    if (const auto result = result_of(one, alone, log, row))
      read_modelled(experiment.work, *result, row);
    rows.push_back(std::move(row));
    after_row(rows);
  }
  return rows;
}

}  // namespace cuboid::detail::tools
