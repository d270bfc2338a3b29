#include <cuboid/mpi.hpp>

#include "tools/bench/bench.hpp"
#include "tools/command/command.hpp"
#include "tools/command/watchdog.hpp"
#include "tools/lu/lu.hpp"
#include "tools/mm/mm.hpp"
#include "tools/model/model.hpp"
#include "tools/topo/topo.hpp"
#include "tools/validate/validate.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::tools {

namespace {

/// The MPI that this process was started by, if any. Started before the command line is read, so
/// that of many ranks only one complains about it.
class Launcher {
 public:
  Launcher() {
    if (!MpiSession::launched()) return;
    const Watchdog watchdog("MPI_Init", patience());
    session_ = std::make_unique<MpiSession>();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~Launcher() {
    if (!session_) return;
    const Watchdog watchdog("MPI_Finalize", patience());
    session_.reset();
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Whether this process speaks for all of them.
  bool speaks() const { return rank_ == 0; }

  /// What the lowest rank complains of that has a complaint; empty where none has. Collective.
  std::string first_complaint(const std::string& mine, const Environment& environment) const {
    if (!session_) return mine;
    const std::string text = mine.empty() ? "" : fmt::format("rank {}: {}", rank_, mine);
    const auto all =
        mpi_bootstrap(MPI_COMM_WORLD, environment)->allgather(std::as_bytes(std::span(text)));
    const auto first = std::ranges::find_if(all, [](const auto& one) { return !one.empty(); });
    if (first == all.end()) return {};
    return {reinterpret_cast<const char*>(first->data()), first->size()};
  }

  /// Ends all processes at once: to be called where others may wait for this one in vain.
  void abort(ExitCode code) const {
    if (!session_) return;
    const Watchdog watchdog("MPI_Abort", patience());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  }

 private:
  /// The user's, if it can be read: what is wrong with it is said later.
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

/// Whether an error may be this rank's alone, so that the others neither know nor say it.
bool may_be_ours_alone(const Error& error) {
  return error.code() == ErrorCode::peer_failed || error.code() == ErrorCode::timeout ||
         error.code() == ErrorCode::internal;
}

ExitCode parse_and_run(int argc, char** argv, const Launcher& launcher) {
  CommandContext context;
  CLI::App app("Topology-aware collective communication and matrix multiplication.", "cuboid");
  app.require_subcommand(0, 1);
  add_bench_command(app, context);
  add_mm_command(app, context);
  add_lu_command(app, context);
  add_model_command(app, context);
  add_topo_command(app, context);
  add_validate_command(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {  // --help
    if (launcher.speaks()) print_text(app.help());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    if (launcher.speaks()) print_error(std::string(error.what()) + " (see cuboid --help)");
    return ExitCode::usage;
  }
  if (!context.action) {
    if (launcher.speaks()) print_error("no subcommand: give one, see cuboid --help");
    return ExitCode::usage;
  }
  std::string complaint;
  try {
    context.environment = Environment::read();
  } catch (const Error& error) {
    complaint = error.what();
  }
  try {
    // A rank whose environment is wrong says so before the others miss it.
    complaint = launcher.first_complaint(complaint, context.environment);
    if (!complaint.empty()) {
      if (launcher.speaks()) print_error(complaint);
      return ExitCode::usage;
    }
    return context.action();
  } catch (const Error& error) {
    if (launcher.speaks() || may_be_ours_alone(error)) print_error(error.what());
    if (may_be_ours_alone(error)) launcher.abort(exit_code_for(error));
    return exit_code_for(error);
  } catch (const std::exception& error) {
    print_error(error.what());
    launcher.abort(ExitCode::failed);
    return ExitCode::failed;
  }
}

}  // namespace

}  // namespace cuboid::detail::tools

int main(int argc, char** argv) {
  using namespace cuboid::detail::tools;
  claim_standard_output();
  try {
    const Launcher launcher;
    return static_cast<int>(parse_and_run(argc, argv, launcher));
  } catch (const std::exception& error) {
    print_error(error.what());
    return static_cast<int>(ExitCode::failed);
  }
}
