#include "tools/model/model.hpp"

#include <cuboid/error.hpp>

#include "base/closest_name.hpp"
#include "tools/command/ranks.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/model/figure_output.hpp"
#include "tools/model/model_collective.hpp"
#include "tools/model/model_factorisation.hpp"
#include "tools/model/model_lu.hpp"
#include "tools/model/model_mm.hpp"
#include "tools/output/plot.hpp"
#include "tools/provenance/provenance.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

struct FigureFlags {
  std::string name;
  std::string svg;
  bool json = false;
};

/// Runs `run` on the first process only, for this machine unless --parameters names another. Models
/// need no ranks, also under a launcher.
template <class Flags>
ExitCode run_on_one(const CLI::App& command, Flags& flags, const CommandContext& context,
                    ExitCode (*run)(const Flags&)) {
  if (!is_first_process()) return ExitCode::done;
  if (command.count("--parameters") == 0)
    flags.parameters = default_parameters(context.environment, flags.paper_machine);
  note_parameters(flags.parameters);
  return run(flags);
}

ExitCode run_figure(const FigureFlags& flags) {
  if (flags.name == "list") {
    flags.json ? print_json(list_json()) : print_text(list_text());
    return ExitCode::done;
  }
  const FigureEntry* const entry = find_figure(flags.name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const FigureEntry& one : figures()) names.emplace_back(one.name);
    throw Error(ErrorCode::invalid_argument,
                fmt::format("figure: {}: give one of `cuboid model figure list`",
                            flags.name.empty() ? "no name"
                                               : fmt::format("unknown name \"{}\"{}", flags.name,
                                                             did_you_mean(flags.name, names))));
  }
  const Figure figure = entry->make();
  if (!flags.svg.empty()) write_svg(flags.svg, figure.plot_with_printed());
  flags.json ? print_json(to_json(*entry, figure)) : print_text(to_text(*entry, figure));
  return ExitCode::done;
}

CLI::App& add_mm(CLI::App& model, CommandContext& context) {
  const auto flags = std::make_shared<ModelMmFlags>();
  CLI::App& command = *model.add_subcommand(
      "mm", "Predict time, words and messages of every multiplication algorithm");
  declare_flags(command, *flags);
  command.footer(
      "Examples:\n"
      "  cuboid model mm --m 65536 --n 65536 --k 65536 --ranks 4096\n"
      "  cuboid model mm --m 8192 --n 8192 --k 8192 --network torus:8x8x8 --lines binomial");
  command.callback([flags, &command, &context] {
    context.action = [flags, &command, &context] {
      return run_on_one(command, *flags, context, run_model_mm);
    };
  });
  return command;
}

CLI::App& add_lu(CLI::App& model, CommandContext& context) {
  const auto flags = std::make_shared<ModelLuFlags>();
  CLI::App& command =
      *model.add_subcommand("lu", "Predict the time of 2D and 2.5D LU, step by step");
  declare_flags(command, *flags);
  command.footer("Example:\n  cuboid model lu --n 4194304 --ranks 262144");
  command.callback([flags, &command, &context] {
    context.action = [flags, &command, &context] {
      return run_on_one(command, *flags, context, run_model_lu);
    };
  });
  return command;
}

CLI::App& add_qr(CLI::App& model, CommandContext& context) {
  const auto flags = std::make_shared<ModelQrFlags>();
  CLI::App& command = *model.add_subcommand(
      "qr", "Predict the time of QR on every sensible process grid, step by step");
  declare_flags(command, *flags);
  command.footer("Example:\n  cuboid model qr --m 1048576 --n 4096 --ranks 1024");
  command.callback([flags, &command, &context] {
    context.action = [flags, &command, &context] {
      return run_on_one(command, *flags, context, run_model_qr);
    };
  });
  return command;
}

CLI::App& add_cholesky(CLI::App& model, CommandContext& context) {
  const auto flags = std::make_shared<ModelCholeskyFlags>();
  CLI::App& command = *model.add_subcommand(
      "cholesky",
      "Predict the time of Cholesky on every sensible process grid and number of layers");
  declare_flags(command, *flags);
  command.footer("Example:\n  cuboid model cholesky --n 65536 --ranks 1024");
  command.callback([flags, &command, &context] {
    context.action = [flags, &command, &context] {
      return run_on_one(command, *flags, context, run_model_cholesky);
    };
  });
  return command;
}

CLI::App& add_figure(CLI::App& model, CommandContext& context) {
  const auto flags = std::make_shared<FigureFlags>();
  CLI::App& command = *model.add_subcommand(
      "figure", "Recompute a figure or table of a paper, beside the published numbers");
  command.add_option("NAME", flags->name, "A name from `cuboid model figure list`");
  command.add_option("--svg", flags->svg, "Plot to this SVG file");
  command.add_flag("--json", flags->json, "Print one JSON object instead of a table");
  command.footer(
      "Examples:\n"
      "  cuboid model figure list\n"
      "  cuboid model figure rectangular-fig9 --svg fig9.svg");
  command.callback([flags, &context] {
    context.action = [flags] { return is_first_process() ? run_figure(*flags) : ExitCode::done; };
  });
  return command;
}

}  // namespace

void add_model_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<ModelCollectiveFlags>();
  CLI::App* const command = app.add_subcommand(
      "model",
      "Predict the cost of collectives and multiplications; recompute the papers' figures");
  command->require_subcommand(0, 1);
  declare_flags(*command, *flags);
  const CLI::App& mm = add_mm(*command, context);
  const CLI::App& lu = add_lu(*command, context);
  const CLI::App& cholesky = add_cholesky(*command, context);
  const CLI::App& qr = add_qr(*command, context);
  const CLI::App& figure = add_figure(*command, context);
  // Set after the subcommands, because they would inherit it.
  command->footer(
      "Examples:\n"
      "  cuboid model broadcast --network torus:8x8x8 --parameters bgp --size 1K:64M\n"
      "  cuboid model broadcast --network torus:16x16x16 --size 16M --simulate");
  command->callback([flags, command, &mm, &lu, &cholesky, &qr, &figure, &context] {
    if (mm.parsed() || lu.parsed() || cholesky.parsed() || qr.parsed() || figure.parsed()) return;
    context.action = [flags, command, &context] {
      return run_on_one(*command, *flags, context, run_model_collective);
    };
  });
}

}  // namespace cuboid::detail::tools
