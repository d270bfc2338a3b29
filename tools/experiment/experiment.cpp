#include "tools/experiment/experiment.hpp"

#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "tools/command/interruption.hpp"
#include "tools/command/ranks.hpp"
#include "tools/experiment/experiment_options.hpp"
#include "tools/experiment/experiment_output.hpp"
#include "tools/experiment/experiment_plot.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/gnuplot.hpp"
#include "tools/output/progress.hpp"
#include "tools/output/text_output.hpp"
#include "tools/provenance/provenance.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

namespace fs = std::filesystem;

/// The path of this program, which the runs start.
std::string own_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "cuboid" : path.string();
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, fmt::format("--output {}: {}", folder, error.message()));
}

/// Writes the results to NAME.csv, NAME.json and, with plots, NAME.svg.
void write_results(const Experiment& experiment, const std::vector<Row>& rows,
                   const nlohmann::ordered_json& json, const fs::path& folder,
                   const std::string& name, bool plots) {
  const auto write = [&](const char* ending, const std::string& text) {
    write_text_file("--output", (folder / (name + ending)).string(), text);
  };
  write(".csv", provenance_lines("# ") + to_csv(experiment, rows));
  write(".json", json_text(json) + "\n");
  if (!plots) return;
  const std::string commands = gnuplot_commands(experiment, rows);
  constexpr int panel_width = 420, least_width = 860, height = 460;
  if (!commands.empty())
    write(".svg", plot_svg(name, commands, "",
                           {std::max(least_width, panel_width * panels_of(rows)), height}));
}

void print_commands(const std::vector<Case>& cases, const Launch& launch, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text;
  for (const Case& one : cases) {
    list.push_back(command_text(one, launch));
    text += command_text(one, launch) + "\n";
  }
  json ? print_json({{"commands", list}}) : print_text(text);
}

ExitCode run_experiment(const ExperimentFlags& flags, const Environment& environment) {
  if (MpiSession::launched()) {
    refuse(
        "experiment: it starts its ranks itself: run it without a launcher, and name one with "
        "--launch, e.g. --launch 'mpirun -n {ranks}'");
  }
  if (flags.name == "list") {
    flags.json ? print_json(experiments_json()) : print_text(experiments_text());
    return ExitCode::done;
  }
  ExperimentOptions options = read_flags(flags, environment.parameters, ranks_for_usable_cores(1));
  const Experiment& experiment = *options.experiment;
  const std::vector<Case> cases =
      flags.model ? modelled_cases_of(experiment) : cases_of(experiment, options.scale);
  if (flags.commands) {
    print_commands(cases, options.launch, flags.json);
    return ExitCode::done;
  }
  const bool plots = plots_can_be_drawn(Logger(environment.log_level, 0));
  if (!flags.model && options.launch.launcher.empty())
    Ranks(options.scale.ranks.back(), 0).require_room();
  note_parameters(options.launch.parameters);
  options.launch.program = own_program();
  make_folder(options.folder);
  RunLog log((fs::path(options.folder) / "runs.jsonl").string());
  std::vector<Row> rows;
  {
    Progress progress(static_cast<int>(cases.size()), true);
    const auto keep = [&](std::vector<Row> so_far) {
      rate_by_peak(so_far);
      auto object = with_provenance(to_json(experiment, so_far));
      object["interrupted"] = true;
      print_when_interrupted(flags.json ? json_text(object) + "\n"
                                        : to_text(experiment, so_far) + "interrupted\n");
    };
    rows = flags.model ? run_models(experiment, cases, options.launch, log, progress, keep)
                       : run_cases(experiment, cases, options.launch, log, progress, keep);
  }
  print_when_interrupted("");
  rate_by_peak(rows);
  const std::string name = flags.model ? flags.name + "-model" : flags.name;
  const auto json = with_provenance(to_json(experiment, rows));
  write_results(experiment, rows, json, options.folder, name, plots);
  flags.json ? print_json(json) : print_text(to_text(experiment, rows));
  const bool any = std::ranges::any_of(rows, [](const Row& row) { return row.error.empty(); });
  return any ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_experiment_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<ExperimentFlags>();
  CLI::App* const command = app.add_subcommand(
      "experiment",
      "Rerun a paper's experiment on this machine and compare it with the prediction");
  command->footer(
      "Examples:\n"
      "  cuboid experiment list\n"
      "  cuboid experiment cosma-fig8 --ranks 1,2,4\n"
      "  cuboid experiment cosma-rpa --model\n"
      "  cuboid experiment rectangular-fig5b --launch 'mpirun -n {ranks}' --ranks 4,8,16");
  declare_flags(*command, *flags);
  command->callback([flags, &context] {
    context.action = [flags, &context] { return run_experiment(*flags, context.environment); };
  });
}

}  // namespace cuboid::detail::tools
