#include "tools/experiment/experiment_options.hpp"

#include "base/closest_name.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::vector<int> parse_ranks(const std::string& text) {
  std::vector<int> ranks;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    int one = 0;
    const char* const end = item.data() + item.size();
    const auto [rest, error] = std::from_chars(item.data(), end, one);
    if (error != std::errc{} || rest != end || one < 1)
      refuse(fmt::format("--ranks {}: give numbers of ranks, e.g. 1,2,4,6,8", text));
    ranks.push_back(one);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.empty()) refuse("--ranks: give numbers of ranks, e.g. 1,2,4,6,8");
  return ranks;
}

/// 1, 2, 3, 4, 6, 8, 12, … up to `most`.
std::vector<int> usual_ranks(int most) {
  std::vector<int> ranks{1};
  for (int power = 2; power <= most; power *= 2) {
    ranks.push_back(power);
    if (power / 2 * 3 <= most) ranks.push_back(power / 2 * 3);
  }
  return ranks;
}

std::vector<std::string> parse_launcher(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!words.empty() && text.find("{ranks}") == std::string::npos) {
    refuse(
        fmt::format("--launch {}: give {{ranks}} as the number of ranks, as in: --launch 'mpirun "
                    "-n {{ranks}}'",
                    text));
  }
  return words;
}

const Experiment& named(const std::string& name) {
  const Experiment* const experiment = find_experiment(name);
  if (experiment == nullptr) {
    std::vector<std::string> names;
    for (const Experiment& one : experiments()) names.emplace_back(one.name);
    refuse(fmt::format(
        "experiment: {}: give one of `cuboid experiment list`",
        name.empty() ? "no name"
                     : fmt::format("unknown name \"{}\"{}", name, did_you_mean(name, names))));
  }
  return *experiment;
}

}  // namespace

void declare_flags(CLI::App& command, ExperimentFlags& flags) {
  command.add_option("NAME", flags.name, "A name from `cuboid experiment list`");
  command.add_option("--ranks", flags.ranks,
                     "Numbers of ranks, e.g. 1,2,4 (default: up to the usable cores, at least 4)");
  command
      .add_option("--memory-limit", flags.memory,
                  "Memory per rank; the matrices get a third of it, by the memory regime")
      ->capture_default_str();
  command.add_option("--launch", flags.launch,
                     "Command that starts the ranks, e.g. 'mpirun -n {ranks}' (default: threads)");
  command.add_option("--parameters", flags.parameters,
                     "Machine or file of measured parameters, to predict collectives by (default: "
                     "CUBOID_PARAMETERS)");
  command.add_option("-o,--output", flags.output, "Folder of the results")->capture_default_str();
  command.add_option("--repeat", flags.repeat, "Repetitions of each run; the median counts")
      ->capture_default_str();
  command.add_option("--limit", flags.limit, "Time limit of a run in seconds")
      ->capture_default_str();
  command.add_flag("--model", flags.model,
                   "Run nothing: predict the experiment at the paper's size, on its machine");
  command.add_flag("--commands", flags.commands, "Run nothing: print the command of each run");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

ExperimentOptions read_flags(const ExperimentFlags& flags,
                             const std::optional<std::string>& parameters, int cores) {
  ExperimentOptions options;
  options.experiment = &named(flags.name);
  options.launch.launcher = parse_launcher(flags.launch);
  const bool launched = !options.launch.launcher.empty();
  for (const auto& [flag, value] :
       {std::pair("--ranks", flags.ranks), std::pair("--launch", flags.launch),
        std::pair("--parameters", flags.parameters)}) {
    if (flags.model && !value.empty())
      refuse(fmt::format(
          "{} {}: has no effect on --model, which has the paper's ranks and machine: leave it out",
          flag, value));
  }
  if (launched && flags.ranks.empty())
    refuse(
        fmt::format("--launch {}: give the numbers of ranks to launch with --ranks", flags.launch));
  constexpr int least_most = 4;
  options.scale.ranks =
      flags.ranks.empty() ? usual_ranks(std::max(cores, least_most)) : parse_ranks(flags.ranks);
  options.scale.memory_bytes = parse_bytes("--memory-limit", flags.memory);
  require_at_least("--repeat", flags.repeat, 1);
  options.scale.repeats = flags.repeat;
  options.scale.launched = launched;
  if (!(flags.limit > 0)) refuse(fmt::format("--limit {}: give more than 0 seconds", flags.limit));
  options.launch.limit = std::chrono::duration<double>(flags.limit);
  options.launch.parameters = flags.parameters;
  if (flags.parameters.empty() && parameters && *parameters != "none")
    options.launch.parameters = *parameters;
  if (!options.launch.parameters.empty()) machine_from_flag(options.launch.parameters);
  options.folder = flags.output;
  if (flags.model && options.experiment->paper.machine.empty()) {
    refuse(fmt::format(
        "--model: {}: its paper gives no parameters of its machines: run it here, without "
        "--model",
        flags.name));
  }
  const std::filesystem::path folder(flags.output);
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder))
    refuse(fmt::format("--output {}: it is not a folder: give the name of a folder", flags.output));
  return options;
}

}  // namespace cuboid::detail::tools
