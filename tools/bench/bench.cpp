#include "tools/bench/bench.hpp"

#include <cuboid/allreduce.hpp>
#include <cuboid/barrier.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "tools/bench/bench_calibrate.hpp"
#include "tools/bench/bench_case.hpp"
#include "tools/bench/bench_network.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/bench/bench_result.hpp"
#include "tools/command/ranks.hpp"
#include "tools/command/repetitions.hpp"
#include "tools/output/progress.hpp"
#include "tools/output/refuse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr double default_seconds = 1;
constexpr int least_iterations = 10;
/// MPI's broadcast of 8 MiB over the kernel's TCP was seen to take 4 s where Cuboid's takes 0.2.
constexpr int least_iterations_of_mpi = 3;
constexpr int most_iterations = 1000;
/// Cuboid and MPI take turns so often, each with its part of the repetitions: whatever else the
/// machine does meets both alike, while short calls still find their caches warm.
constexpr int turns = 20;

/// An MPI communicator of the ranks of one colour, given back at the end.
class MpiGroup {
 public:
  MpiGroup(int colour, int rank) { MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &group_); }
  ~MpiGroup() { MPI_Comm_free(&group_); }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  MPI_Comm get() const { return group_; }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
};

/// One rank's run of the command.
class BenchRun {
 public:
  BenchRun(const BenchOptions& options, const Communicator& world)
      : options_(options), world_(world), network_(network_of(world)), group_(world) {
    int line = 0;
    if (options_.lines) {
      const std::vector<int> lines = line_of_rank(network_, *options_.lines);
      line = lines[static_cast<std::size_t>(world_.rank())];
      lines_ = *std::max_element(lines.begin(), lines.end()) + 1;
      const auto ranks = std::ranges::count(lines, 0);
      for (int other = 1; other < lines_; ++other) {
        if (std::ranges::count(lines, other) == ranks) continue;
        refuse(
            fmt::format("--lines {}: one line has {} ranks, another {}: start the same number of "
                        "ranks on every node",
                        *options_.lines, ranks, std::ranges::count(lines, other)));
      }
      group_ = world_.split(line, world_.rank());
      for (std::size_t rank = 0; rank < lines.size(); ++rank) {
        if (lines[rank] == line) node_of_rank_.push_back(network_->node_of_rank[rank]);
      }
    } else if (network_) {
      node_of_rank_ = network_->node_of_rank;
    }
    if (options_.against_mpi) mpi_ = std::make_unique<MpiGroup>(line, world_.rank());
  }

  BenchResult run() {
    BenchResult result;
    result.options = options_;
    result.ranks = world_.size();
    result.transport = world_.transport();
    result.lines = lines_;
    if (network_) result.shape = network_->shape();
    Progress progress(static_cast<int>(options_.bytes.size()), world_.rank() == 0);
    for (const std::size_t bytes : options_.bytes) {
      const BenchCall call{options_.operation, options_.type, bytes, options_.root,
                           options_.in_place};
      // Small sizes can be the same one once rounded up.
      const std::size_t rounded = BenchCase(group_, call).bytes();
      if (!result.rows.empty() && result.rows.back().bytes == rounded) continue;
      progress.step(fmt::format("{} of {} bytes", to_string(options_.operation), rounded));
      for (const std::string& name : options_.algorithms) {
        if (auto row = measure(call, name)) result.rows.push_back(std::move(*row));
      }
    }
    return result;
  }

 private:
  using Call = std::function<void()>;

  /// nullopt if the algorithm cannot do it and another can be had.
  std::optional<BenchRow> measure(const BenchCall& call, const std::string& algorithm) const {
    try {
      const auto operation = to_string(options_.operation);
      BenchCase test(algorithm.empty()
                         ? group_
                         : group_.with_algorithms(fmt::format("{}:{}", operation, algorithm)),
                     call);
      return measure(test, test.algorithm());
    } catch (const Error& error) {
      if (options_.all_algorithms && error.code() == ErrorCode::unsupported) return std::nullopt;
      throw;
    }
  }

  BenchRow measure(BenchCase& test, const std::string& algorithm) const {
    const Call cuboid_call = [&] { test.run_cuboid(); };
    const Call cuboid_meet = [&] { barrier(world_); };
    const Call mpi_call = [&] { test.run_mpi(mpi_->get()); };
    const Call mpi_meet = [] { MPI_Barrier(MPI_COMM_WORLD); };

    BenchRow row;
    row.bytes = test.bytes();
    row.algorithm = algorithm;
    row.bound = bound();
    test.fill();
    std::vector<double> warm;
    repeat(cuboid_meet, cuboid_call, options_.warmup, warm);
    const int iterations = options_.iterations.value_or(iterations_for(warm, least_iterations));
    int mpi_iterations = 0;
    if (mpi_) {
      mpi_iterations = options_.iterations.value_or(
          iterations_for(warm_up_mpi(mpi_meet, mpi_call), least_iterations_of_mpi));
    }
    std::vector<double> ours;
    std::vector<double> theirs;
    const int parts = std::min(turns, iterations);
    const auto part = [parts](int of, int turn) {
      return of / parts + (turn < of % parts ? 1 : 0);
    };
    for (int turn = 0; turn < parts; ++turn) {
      repeat(cuboid_meet, cuboid_call, part(iterations, turn), ours);
      repeat(mpi_meet, mpi_call, part(mpi_iterations, turn), theirs);
    }
    row.iterations = ours.size();
    row.seconds = Seconds::of(of_slowest(world_, std::move(ours)));
    if (mpi_) row.mpi_seconds_median = Seconds::of(of_slowest(world_, std::move(theirs))).median;
    if (options_.validate) {
      test.fill();
      barrier(world_);
      test.run_cuboid();
      std::array errors = {test.errors()};
      allreduce(world_, errors, errors, Reduction::Kind::sum);
      row.errors = errors[0];
    }
    return row;
  }

  /// The times of MPI's unmeasured repetitions, of a single one if it takes longer than all should.
  std::vector<double> warm_up_mpi(const Call& meet, const Call& call) const {
    std::vector<double> warm;
    repeat(meet, call, std::min(options_.warmup, 1), warm);
    if (warm.empty() || of_slowest(world_, warm).front() > default_seconds) return warm;
    repeat(meet, call, options_.warmup - 1, warm);
    return warm;
  }

  /// As many as fit in the default time. Agreed upon by all ranks.
  int iterations_for(std::vector<double> warm, int least) const {
    if (warm.empty()) return least;
    warm = of_slowest(world_, std::move(warm));
    const double last = std::max(warm.back(), default_seconds / most_iterations);
    return std::clamp(static_cast<int>(default_seconds / last), least, most_iterations);
  }

  /// Ranks of one node have no network between them, whatever they imitate.
  std::optional<double> bound() const {
    if (!network_ || network_->hosts.count() < 2) return std::nullopt;
    return bound_of(options_.operation, options_.root,
                    {network_->network, node_of_rank_, options_.lines.has_value()});
  }

  const BenchOptions& options_;
  const Communicator& world_;
  std::optional<Discovery> network_;
  Communicator group_;             ///< the ranks of one line, or all
  std::vector<int> node_of_rank_;  ///< by rank of the group
  int lines_ = 1;
  std::unique_ptr<MpiGroup> mpi_;
};

ExitCode run_bench(const BenchFlags& flags, const Environment& environment) {
  const BenchOptions options = read_flags(flags);
  const Ranks ranks(options.ranks, ranks_for_usable_cores(1));
  // Before the ranks are started: they need not be to learn that.
  require_root(options.root, ranks.size());
  std::mutex mutex;
  BenchResult result;  // the same on every rank, but for the bound of its line
  ranks.run(environment, [&](const Communicator& world) {
    BenchResult mine = BenchRun(options, world).run();
    const std::lock_guard lock(mutex);
    if (world.rank() == 0 || !ranks.speak()) result = std::move(mine);
  });
  if (ranks.speak()) {
    print_result(result, options.json);
    if (!result.right()) print_error("--validate: some results are wrong, see the column `errors`");
  }
  return result.right() ? ExitCode::done : ExitCode::failed;
}

CLI::App& add_plan(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<BenchPlanFlags>();
  CLI::App& command = *bench.add_subcommand(
      "plan", "What it costs one rank of many to plan a collective; needs no network");
  declare_flags(command, *flags);
  command.callback([flags, &context] {
    context.action = [flags] {
      if (is_first_process()) print_result(bench_plan(*flags), flags->json);
      return ExitCode::done;
    };
  });
  return command;
}

}  // namespace

void add_bench_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<BenchFlags>();
  CLI::App* const command = app.add_subcommand(
      "bench", "Measure collectives, compared with the network's bound and with MPI");
  command->footer(
      "Examples:\n"
      "  cuboid bench allreduce --size 8:1M --ranks 2\n"
      "  cuboid bench broadcast --size 1M --ranks 4 --algorithm all\n"
      "  mpirun -n 4 cuboid bench broadcast --size 16M --against mpi --validate\n"
      "  cuboid bench --calibrate\n"
      "  cuboid bench plan --network torus:64x64x64 --operation allreduce --size 64M\n"
      "  tools/lab run -- cuboid bench broadcast --size 4M --lines 1 --json");
  command->require_subcommand(0, 1);
  declare_flags(*command, *flags);
  const CLI::App& plan = add_plan(*command, context);
  command->callback([flags, &plan, &context] {
    if (plan.parsed()) return;
    context.action = [flags, &context] {
      return flags->calibrate ? run_calibration(*flags, context.environment)
                              : run_bench(*flags, context.environment);
    };
  });
}

}  // namespace cuboid::detail::tools
