#include "tools/validate/validate.hpp"

#include <cuboid/error.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/interruption.hpp"
#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"
#include "tools/provenance/provenance.hpp"
#include "tools/validate/validation_report.hpp"
#include "tools/validate/validation_run.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

struct ValidateFlags {
  std::string sizes;
  std::string output = "cuboid-validation.html";
  std::optional<int> ranks;
  std::vector<std::string> operations;
  bool quick = false;
  bool json = false;
};

/// The name of a kind of factorisation in --operations.
const char* name_of(FactorisationKind kind) {
  switch (kind) {
    case FactorisationKind::lu: return "lu";
    case FactorisationKind::cholesky: return "cholesky";
    case FactorisationKind::qr: break;
  }
  return "qr";
}

/// Leaves in only what --operations names.
void restrict_to(const std::vector<std::string>& names, ValidationExtent& extent) {
  if (names.empty()) return;
  const auto is_named = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> known{"mm"};
  for (const FactorisationKind kind : extent.factorisations) known.emplace_back(name_of(kind));
  for (const Operation operation : extent.operations) known.emplace_back(to_string(operation));
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      refuse(fmt::format("--operations {}: give some of {}", name, fmt::join(known, ",")));
  }
  std::erase_if(extent.operations,
                [&](Operation operation) { return !is_named(to_string(operation)); });
  if (!is_named("mm")) extent.extents.clear();
  std::erase_if(extent.factorisations,
                [&](FactorisationKind kind) { return !is_named(name_of(kind)); });
}

ValidationExtent extent_of(const ValidateFlags& flags) {
  using enum Operation;
  const std::vector all_kinds = {FactorisationKind::lu, FactorisationKind::cholesky,
                                 FactorisationKind::qr};
  ValidationExtent extent;
  if (flags.quick) {
    extent = {.operations = {broadcast, allreduce, allgather},
              .bytes = {96 << 10, 768 << 10},
              .extents = {480},
              .orders = {720},
              .factorisations = all_kinds,
              .seconds_per_case = 0.1,
              .least_repetitions = 3,
              .most_repetitions = 10,
              .slowest = 2,
              .calibrations = 1,
              .sweeps_again = 0};
  } else {
    extent = {.operations = {broadcast, reduce, allreduce, allgather, reduce_scatter, alltoall},
              .bytes = {96 << 10, 384 << 10, 1536 << 10, 6144 << 10},
              .extents = {480, 960, 1440},
              .orders = {720, 1440, 2400},
              .factorisations = all_kinds,
              .seconds_per_case = 0.5,
              .least_repetitions = 5,
              .most_repetitions = 30,
              .slowest = 8,
              .calibrations = 3,
              .sweeps_again = 3};
  }
  if (!flags.sizes.empty()) extent.bytes = parse_sizes(flags.sizes);
  restrict_to(flags.operations, extent);
  return extent;
}

/// The report's files: the HTML page, and the same data as JSON and CSV.
struct ReportFiles {
  std::string page;
  std::string json;
  std::string csv;

  explicit ReportFiles(const std::string& path)
      : page(path), json(beside(path, ".json")), csv(beside(path, ".csv")) {
    if (page == json || page == csv)
      refuse(fmt::format("--output {}: the report is an HTML page: give a name that ends in .html",
                         path));
  }

  static std::string beside(const std::string& path, const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  }

  void prepare() const {
    for (const std::string& path : {page, json, csv}) prepare_text_file("--output", path);
  }

  void write(const ValidationReport& report, const nlohmann::ordered_json& object,
             bool plots) const {
    write_text_file("--output", json, object.dump(2) + "\n");
    write_text_file("--output", csv, provenance_lines("# ") + to_csv(report));
    write_text_file("--output", page, to_html(report, plots));
  }

  std::string written() const { return fmt::format("written to {}, {} and {}\n", page, json, csv); }
};

ExitCode run_validation(const ValidateFlags& flags, const Environment& environment) {
  const ValidationExtent extent = extent_of(flags);
  const ReportFiles files(flags.output);
  const Ranks ranks(flags.ranks, std::max(2, ranks_for_usable_cores(1)));
  if (ranks.size() < 2)
    throw Error(ErrorCode::invalid_argument,
                "--ranks 1: one rank sends no messages: give at least 2");
  Environment built_in = environment;
  built_in.parameters = "none";  // the calibration will replace them
  const bool plots = ranks.speak() && plots_can_be_drawn(Logger(environment.log_level, 0));
  ValidationReport report;
  const WorkThatEndsItself work(ranks.speak());
  ranks.run(built_in, [&](const Communicator& world) {
    collective_try(world, [&] {
      if (world.rank() == 0) files.prepare();
    });
    ValidationReport mine = validate(extent, world);
    if (world.rank() == 0) report = std::move(mine);
  });
  const ExitCode code = interrupted() ? ExitCode::interrupted : ExitCode::done;
  if (!ranks.speak()) return code;
  if (report.cases.empty() && report.interrupted) {
    print_error("interrupted before anything was measured: no report is written");
    return code;
  }
  const auto object = with_provenance(to_json(report));
  files.write(report, object, plots);
  if (flags.json) {
    print_json(object);
  } else {
    print_text(to_text(report) + files.written());
  }
  return code;
}

}  // namespace

void add_validate_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<ValidateFlags>();
  CLI::App* const command = app.add_subcommand(
      "validate", "Measure how accurate the models are on this machine, and write a report");
  command->add_option("--ranks", flags->ranks,
                      "Number of ranks, run as threads (default: one per usable core, at least 2)");
  command->add_option("--size", flags->sizes,
                      "Message sizes in bytes: one size, or MIN:MAX in powers of two, e.g. 96K:6M");
  command
      ->add_option("--output", flags->output,
                   "File of the report, an HTML page; .json and .csv files are written beside it")
      ->capture_default_str();
  command->add_flag("--quick", flags->quick,
                    "Fewer operations and sizes; takes less than a minute");
  command
      ->add_option("--operations", flags->operations,
                   "Only these, e.g. broadcast,mm,lu: collectives, multiplications (mm), "
                   "factorisations (lu, cholesky, qr); with --quick some collectives are left out")
      ->delimiter(',');
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  cuboid validate --ranks 4 --quick\n"
      "  mpirun -n 16 cuboid validate --output validation.html\n"
      "  tools/lab run -- cuboid validate --operations mm,lu,cholesky,qr");
  command->callback([flags, &context] {
    context.action = [flags, &context] { return run_validation(*flags, context.environment); };
  });
}

}  // namespace cuboid::detail::tools
