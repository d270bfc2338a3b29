#include "tools/bench/bench_run.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "tools/bench/bench_case.hpp"
#include "tools/bench/bench_groups.hpp"
#include "tools/bench/core_limit.hpp"
#include "tools/bench/mpi_case.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/command/watchdog.hpp"
#include "tools/measurement/percentiles.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/progress.hpp"
#include "topology/network/cut_bound.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr double default_seconds = 1;
constexpr int default_warmup = 2;
constexpr int least_iterations = 10;
/// MPI's broadcast of 8 MiB over the kernel's TCP was seen to take 4 s where Cuboid's takes 0.2.
constexpr int least_iterations_of_mpi = 3;
constexpr int most_iterations = 1000;
/// The number of turns that Cuboid and MPI take, each with its part of the repetitions.
/// Disturbances then affect both alike, while the caches stay warm for short calls.
constexpr int turns = 20;

using Call = std::function<void()>;

/// One library's calls of the collective, in the form asked for. On idle ranks they do nothing.
struct Calls {
  Call meet;
  Call run = [] {};
  Call start = [] {};
  Call wait = [] {};
  std::vector<double> seconds = {};  ///< seconds of this rank's repetitions
};

/// One rank's run of the command.
class BenchRun {
 public:
  BenchRun(const BenchOptions& options, const Communicator& world)
      : options_(options), world_(world), groups_(options, world) {
    if (options.run.against_mpi && options.call == CallForm::persistent &&
        !mpi_has_persistent_collectives()) {
      refuse(
          "--call persistent --against mpi: this MPI has no persistent collectives: leave out one "
          "of the two");
    }
  }

  BenchResult run(const std::function<void(const BenchResult&)>& grown) {
    warn_where_cores_decide(world_);
    BenchResult result;
    result.options = options_;
    result.ranks = groups_.ranks();
    result.transport = world_.transport();
    result.lines = groups_.number();
    if (groups_.network()) result.shape = groups_.network()->shape();
    Progress progress(static_cast<int>(options_.run.bytes.size()), world_.rank() == 0);
    const auto show = [&] {
      if (world_.rank() == 0) progress.without_bar([&] { grown(result); });
    };
    for (const std::size_t asked : options_.run.bytes) {
      const BenchCall call = call_of(asked);
      const std::size_t rounded =
          message_count(call, groups_.ranks_of_one()) * options_.type.bytes();
      // Small sizes may be equal after rounding up.
      const bool again = !result.rows.empty() && result.rows.back().bytes == rounded;
      if (again && options_.run.form != Form::osu) continue;
      progress.step(fmt::format("{} of {} bytes", options_.name(), rounded));
      for (const std::string& name : options_.algorithms) {
        if (auto row = measure(call, name)) {
          row->bytes = rounded;
          row->asked_bytes = asked;
          if (row->cables) {
            row->bound = bound_with_bursts(*row->cables, static_cast<double>(rounded),
                                           head_start_of(*groups_.network()));
          }
          result.rows.push_back(std::move(*row));
          show();
        }
      }
    }
    return result;
  }

 private:
  /// OSU's sizes are those of one rank's block, except for reductions.
  BenchCall call_of(std::size_t asked) const {
    const bool of_block = options_.run.form == Form::osu && has_blocks(options_.operation) &&
                          options_.operation != Operation::reduce_scatter;
    const auto blocks = static_cast<std::size_t>(of_block ? groups_.ranks_of_one() : 1);
    return {options_.operation, options_.type,   asked * blocks, options_.root,
            options_.in_place,  options_.v_form, options_.memory};
  }

  /// nullopt if the algorithm cannot serve the call and the user has not insisted on it.
  std::optional<BenchRow> measure(const BenchCall& call, const std::string& algorithm) const {
    std::optional<BenchCase> test;
    BenchRow row;
    bool can = true;
    if (groups_.mine().valid()) {
      try {
        test.emplace(algorithm.empty() ? groups_.mine()
                                       : groups_.mine().with_algorithms(fmt::format(
                                             "{}:{}", to_string(options_.operation), algorithm)),
                     call);
        row.algorithm = test->algorithm();
      } catch (const Error& error) {
        if (!options_.all_algorithms || error.code() != ErrorCode::unsupported) throw;
        can = false;
      }
    }
    std::array served = {can ? 1 : 0};
    allreduce(world_, served, served, Reduction::Kind::minimum);
    if (served[0] == 0) return std::nullopt;
    measure(test, row);
    const bool for_programs = options_.run.form == Form::json || options_.run.form == Form::csv;
    if (for_programs && world_.rank() == groups_.first())
      row.predicted_seconds = test->predicted_seconds(row.algorithm);
    share(row);
    return row;
  }

  void measure(std::optional<BenchCase>& test, BenchRow& row) const {
    row.cables = groups_.cables(options_.operation, options_.root);
    if (test) test->fill();
    std::optional<CollectivePlan> plan;
    Calls ours = cuboid_calls(test, plan);
    std::optional<MpiCase> mpi_case;
    std::optional<Calls> theirs;
    if (options_.run.against_mpi) theirs = mpi_calls(test, mpi_case);

    std::vector<double> warm;
    const int warmup = options_.run.warmup.value_or(default_warmup);
    repeat(ours.meet, ours.run, warmup, warm);
    const int iterations = options_.run.iterations.value_or(iterations_for(warm, least_iterations));
    const int mpi_iterations = theirs ? options_.run.iterations.value_or(iterations_for(
                                            warm_up_mpi(*theirs, warmup), least_iterations_of_mpi))
                                      : 0;
    const std::uint64_t direct_before = test ? test->runs_from_device_to_device() : 0;
    const int parts = std::min(turns, iterations);
    const auto part = [parts](int of, int turn) {
      return of / parts + (turn < of % parts ? 1 : 0);
    };
    for (int turn = 0; turn < parts; ++turn) {
      repeat(ours.meet, ours.run, part(iterations, turn), ours.seconds);
      if (theirs) repeat(theirs->meet, theirs->run, part(mpi_iterations, turn), theirs->seconds);
    }
    if (options_.memory != BenchMemory::host && test && test->bytes() > 0)
      row.direct = test->runs_from_device_to_device() > direct_before;
    row.iterations = ours.seconds.size();
    row.of_ranks = of_ranks(ours.seconds);
    if (theirs) row.mpi_of_ranks = of_ranks(theirs->seconds);
    if (!options_.run.percentiles.empty()) {
      row.tail = tail_of(ours.seconds);
      if (theirs) row.mpi_tail = tail_of(theirs->seconds);
    }
    row.samples = of_slowest(world_, std::move(ours.seconds));
    row.seconds = Seconds::of(row.samples);
    if (theirs) {
      row.mpi_samples = of_slowest(world_, std::move(theirs->seconds));
      row.mpi_seconds_median = Seconds::of(row.mpi_samples).median;
    }
    if (options_.call == CallForm::nonblocking) {
      row.overlap = overlap(ours, iterations);
      if (theirs) row.mpi_overlap = overlap(*theirs, mpi_iterations);
    }
    if (options_.run.validate) row.errors = errors(test, ours);
  }

  /// Sends the results that only the ranks running the operation know to the ranks that run
  /// nothing.
  void share(BenchRow& row) const {
    if (groups_.ranks() == world_.size()) return;
    struct Shared {
      std::array<char, 64> algorithm{};
      double cables = 0;
      std::optional<double> predicted_seconds;
      std::optional<bool> direct;
    } shared;
    row.algorithm.copy(shared.algorithm.data(), shared.algorithm.size() - 1);
    shared.cables = row.cables.value_or(0);
    shared.predicted_seconds = row.predicted_seconds;
    shared.direct = row.direct;
    broadcast(world_, std::span(&shared, 1), groups_.first());
    row.predicted_seconds = shared.predicted_seconds;
    row.direct = shared.direct;
    row.algorithm = shared.algorithm.data();
    if (shared.cables > 0) row.cables = shared.cables;
  }

  Calls cuboid_calls(std::optional<BenchCase>& test, std::optional<CollectivePlan>& plan) const {
    Calls calls{.meet = [this] { barrier(world_); }};
    if (!test) return calls;
    switch (options_.call) {
      case CallForm::blocking: calls.run = [&test] { test->run(); }; break;
      case CallForm::persistent:
        plan.emplace(test->plan());
        calls.run = [&plan] { plan->run(); };
        break;
      case CallForm::nonblocking: {
        const auto request = std::make_shared<Request>();
        calls.start = [&test, request] { *request = test->start(); };
        calls.wait = [request] { request->wait(); };
        calls.run = [&test] { test->start().wait(); };
        break;
      }
    }
    return calls;
  }

  Calls mpi_calls(const std::optional<BenchCase>& test, std::optional<MpiCase>& mpi) const {
    Calls calls{.meet = [this] {
      const Watchdog::WatchedCall watched(groups_.mpi().watchdog());
      MPI_Barrier(MPI_COMM_WORLD);  // waits: until the watchdog ends the process
    }};
    if (!test) return calls;
    mpi.emplace(*test, groups_.mpi());
    switch (options_.call) {
      case CallForm::blocking: calls.run = [&mpi] { mpi->run(); }; break;
      case CallForm::persistent:
        mpi->plan();
        calls.run = [&mpi] {
          mpi->start_planned();
          mpi->wait();
        };
        break;
      case CallForm::nonblocking:
        calls.start = [&mpi] { mpi->start(); };
        calls.wait = [&mpi] { mpi->wait(); };
        calls.run = [&mpi] {
          mpi->start();
          mpi->wait();
        };
        break;
    }
    return calls;
  }

  /// The times of MPI's unmeasured repetitions, or of a single one if it takes longer than all of
  /// them should.
  std::vector<double> warm_up_mpi(const Calls& mpi, int warmup) const {
    std::vector<double> warm;
    repeat(mpi.meet, mpi.run, std::min(warmup, 1), warm);
    if (warm.empty() || of_slowest(world_, warm).front() > default_seconds) return warm;
    repeat(mpi.meet, mpi.run, warmup - 1, warm);
    return warm;
  }

  /// The number of repetitions that fit in the default time. All ranks agree on it.
  int iterations_for(std::vector<double> warm, int least) const {
    if (warm.empty()) return least;
    warm = of_slowest(world_, std::move(warm));
    const double last = std::max(warm.back(), default_seconds / most_iterations);
    return std::clamp(static_cast<int>(default_seconds / last), least, most_iterations);
  }

  /// Statistics over the ranks that run the operation of each rank's mean repetition.
  OfRanks of_ranks(const std::vector<double>& seconds) const {
    const double mean =
        std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    const bool busy = groups_.mine().valid();
    constexpr double none = -1e300;
    // The minimum is the negated maximum of the negated values.
    std::array most = {busy ? mean : none, busy ? -mean : none};
    std::array sum = {busy ? mean : 0};
    allreduce(world_, most, most, Reduction::Kind::maximum);
    allreduce(world_, sum, sum, Reduction::Kind::sum);
    return {.mean = sum[0] / groups_.ranks(), .min = -most[1], .max = most[0]};
  }

  std::vector<double> tail_of(std::vector<double> seconds) const {
    if (!groups_.mine().valid()) std::ranges::fill(seconds, 0.0);
    allreduce(world_, seconds, seconds, Reduction::Kind::sum);
    for (double& mean : seconds) mean /= groups_.ranks();
    return percentiles_of(std::move(seconds), options_.run.percentiles);
  }

  /// The mean overlap over the ranks that run the operation.
  Overlap overlap(const Calls& calls, int iterations) const {
    const Overlap mine = measure_overlap({calls.meet, calls.start, calls.wait}, work_, iterations);
    return over_ranks(world_, mine, groups_.mine().valid());
  }

  std::uint64_t errors(std::optional<BenchCase>& test, const Calls& calls) const {
    if (test) test->fill();
    calls.meet();
    calls.run();
    std::array errors = {test ? test->errors() : 0};
    allreduce(world_, errors, errors, Reduction::Kind::sum);
    return errors[0];
  }

  const BenchOptions& options_;
  const Communicator& world_;
  BenchGroups groups_;
  DummyWork work_;
};

}  // namespace

BenchResult run_bench(const BenchOptions& options, const Communicator& world,
                      const std::function<void(const BenchResult&)>& grown) {
  return BenchRun(options, world).run(grown);
}

}  // namespace cuboid::detail::tools
