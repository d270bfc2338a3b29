#include <cuboid/mpi.hpp>

#include "base/text_file.hpp"
#include "tools/bench/bench.hpp"
#include "tools/command/command.hpp"
#include "tools/command/completion.hpp"
#include "tools/command/help_formatter.hpp"
#include "tools/command/interruption.hpp"
#include "tools/command/sound_values.hpp"
#include "tools/command/variables.hpp"
#include "tools/command/watchdog.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/lu/lu.hpp"
#include "tools/mm/mm.hpp"
#include "tools/model/model.hpp"
#include "tools/provenance/provenance.hpp"
#include "tools/qr/qr.hpp"
#include "tools/topo/topo.hpp"
#include "tools/validate/validate.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::tools {

namespace {

/// The MPI that started this process, if any. It is initialised before the command line is read, so
/// that only one of many ranks reports an error in it.
class Launcher {
 public:
  Launcher() {
    if (!MpiSession::launched()) return;
    Watchdog watchdog("MPI_Init", patience());
    const Watchdog::WatchedCall call(watchdog);
    session_ = std::make_unique<MpiSession>();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~Launcher() {
    if (!session_) return;
    Watchdog watchdog("MPI_Finalize", patience());
    const Watchdog::WatchedCall call(watchdog);
    session_.reset();
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// True if this process prints for all processes.
  bool speaks() const { return rank_ == 0; }

  /// The complaint of the lowest rank that has one; empty if no rank has a complaint. Collective.
  std::string first_complaint(const std::string& mine, const Environment& environment) const {
    if (!session_) return mine;
    const std::string text = mine.empty() ? "" : fmt::format("rank {}: {}", rank_, mine);
    const auto all = everybodys(text, environment);
    const auto first = std::ranges::find_if(all, [](const auto& one) { return !one.empty(); });
    return first == all.end() ? std::string() : *first;
  }

  /// A complaint if a rank was started with other arguments than rank 0, which launchers allow:
  /// with different values of --seed or --alpha the product would be meaningless. Collective.
  std::string other_arguments(std::span<char* const> mine, const Environment& environment) const {
    if (!session_) return {};
    const auto all = everybodys(fmt::format("{}", fmt::join(mine, " ")), environment);
    const auto other = std::ranges::find_if(all, [&](const auto& one) { return one != all[0]; });
    if (other == all.end()) return {};
    return fmt::format(
        "rank {} was started with other arguments than rank 0: {} instead of {}: give all ranks "
        "the "
        "same",
        other - all.begin(), in_quotes(*other), in_quotes(all[0]));
  }

  /// Ends all processes at once. Call it if other processes may wait for this one in vain.
  void abort(ExitCode code) const {
    if (!session_) return;
    Watchdog watchdog("MPI_Abort", patience());
    const Watchdog::WatchedCall call(watchdog);
    // waits: until the watchdog ends the process
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  }

 private:
  std::vector<std::string> everybodys(const std::string& text,
                                      const Environment& environment) const {
    std::vector<std::string> all;
    const auto bootstrap = mpi_bootstrap(MPI_COMM_WORLD, environment);
    for (const auto& one : bootstrap->allgather(std::as_bytes(std::span(text))))
      all.emplace_back(reinterpret_cast<const char*>(one.data()), one.size());
    return all;
  }

  /// The user's time limit, if it can be read. An error in it is reported later.
  static std::chrono::duration<double> patience() {
    try {
      return Environment::read().timeout;
    } catch (const Error&) {
      return Environment().timeout;
    }
  }

  std::unique_ptr<MpiSession> session_;
  int rank_ = 0;
};

/// True if the error may have happened on this rank alone, so that the other ranks neither know nor
/// report it.
bool may_be_ours_alone(const Error& error) {
  return error.code() == ErrorCode::peer_failed || error.code() == ErrorCode::timeout ||
         error.code() == ErrorCode::internal;
}

/// The text that `cuboid --help` prints, whatever subcommand was named.
std::string own_help(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

ExitCode parse_and_run(int argc, char** argv, const Launcher& launcher) {
  CommandContext context;
  CLI::App app("Topology-aware collective communication and matrix multiplication.", "cuboid");
  app.formatter(std::make_shared<HelpFormatter>());  // subcommands take it over
  app.require_subcommand(0, 1);
  add_bench_command(app, context);
  add_mm_command(app, context);
  add_lu_commands(app, context);
  add_qr_commands(app, context);
  add_model_command(app, context);
  add_topo_command(app, context);
  add_validate_command(app, context);
  add_experiment_command(app, context);
  app.set_version_flag(
      "--version", [] { return version_text(Environment::read()); },
      "Print the version, and what libraries were found");
  std::string helped_command;
  app.add_subcommand("help", "Print the help of a subcommand")
      ->add_option("SUBCOMMAND", helped_command, "Its name");
  std::string shell;
  app.add_subcommand("completion", "Print a script that makes a shell complete this command")
      ->add_option("SHELL", shell, "bash or zsh: source <(cuboid completion bash)")
      ->required();
  require_sound_values(app);
  std::string complaint;
  std::string asked_for;  // the text of --help or --version
  try {
    app.parse(argc, argv);
    complaint = misplaced_options(app);
    if (app.got_subcommand("help")) {
      asked_for = helped_command.empty() ? own_help(app)
                                         : app.get_subcommand(helped_command)->help(app.get_name());
    } else if (app.got_subcommand("completion")) {
      asked_for = completion_script(app, shell);
    } else if (!context.action) {
      complaint = "no subcommand: give one, see cuboid --help";
    }
  } catch (const CLI::CallForVersion& version) {
    asked_for = version.what();
  } catch (const CLI::Success&) {  // --help
    asked_for = app.help();
  } catch (const CLI::OptionNotFound&) {
    complaint = fmt::format("help {}: no such subcommand: see cuboid --help", helped_command);
  } catch (const CLI::ExtrasError&) {
    complaint = unknown_argument(app);
  } catch (const Error& error) {
    complaint = error.what();
  } catch (const CLI::ParseError& error) {
    complaint = fmt::format("{} (see {})", error.what(), help_of(app));
  }
  try {
    context.environment = Environment::read();
    if (complaint.empty() && asked_for.empty())
      check_named_by_variables(context.environment, launcher.speaks());
  } catch (const Error& error) {
    if (complaint.empty() && asked_for.empty()) complaint = error.what();
  }
  try {
    // A rank with wrong arguments or a wrong environment reports that before the other ranks miss
    // it.
    std::string wrong = launcher.other_arguments({argv + 1, argv + argc}, context.environment);
    if (wrong.empty()) wrong = launcher.first_complaint(complaint, context.environment);
    if (!wrong.empty()) {
      if (launcher.speaks()) print_error(wrong);
      return ExitCode::usage;
    }
    if (!asked_for.empty()) {
      if (launcher.speaks()) print_text(asked_for);
      return ExitCode::done;
    }
    return context.action();
  } catch (const Error& error) {
    if (launcher.speaks() || may_be_ours_alone(error)) print_error(error.what());
    if (may_be_ours_alone(error)) launcher.abort(exit_code_for(error));
    return exit_code_for(error);
  } catch (const std::bad_alloc&) {
    print_error("memory is missing: give smaller sizes or fewer ranks");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  launcher.abort(ExitCode::failed);
  return ExitCode::failed;
}

}  // namespace

}  // namespace cuboid::detail::tools

int main(int argc, char** argv) {
  using namespace cuboid::detail::tools;
  claim_standard_output();
  clean_up_when_interrupted();
  try {
    const Launcher launcher;
    return static_cast<int>(parse_and_run(argc, argv, launcher));
  } catch (const std::exception& error) {
    print_error(error.what());
    return static_cast<int>(ExitCode::failed);
  }
}
