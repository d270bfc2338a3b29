#include "tools/validate/validation_run.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/multiply.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "mm/multiply/plan_text.hpp"
#include "models/messages/measured.hpp"
#include "tools/bench/bench_calibrate.hpp"
#include "tools/bench/bench_case.hpp"
#include "tools/bench/core_limit.hpp"
#include "tools/command/interruption.hpp"
#include "tools/command/stolen_time.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/output/progress.hpp"
#include "tools/provenance/provenance.hpp"
#include "tools/validate/validate_factorisation.hpp"
#include "tools/validate/validate_mm.hpp"
#include "tools/validate/visits.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// One rank's run.
class Validation {
 public:
  Validation(const ValidationExtent& extent, const Communicator& world)
      : extent_(extent), world_(world), measured_(world) {}

  ValidationReport run() {
    report_.ranks = world_.size();
    report_.shape = network_text(world_);
    report_.parameters = calibrate_and_predict();
    warn_where_cores_decide(measured_);
    measure();
    return std::move(report_);
  }

 private:
  /// Number of sweeps over all cases. A disturbance that lasts a minute then affects a part of the
  /// repetitions of many cases instead of all repetitions of one case. Further sweeps repeat the
  /// disturbed cases.
  static constexpr int sweeps = 3;

  /// Some repetitions of a case.
  struct Repetitions {
    std::vector<double> seconds;  ///< on the slowest rank
    double words = 0;             ///< that a rank sent in each; only of cases that predict words
  };

  /// A prediction, and the function that runs some repetitions.
  struct Trial {
    ValidationCase prediction;
    std::function<Repetitions()> run;
    std::vector<double> predicted;  ///< seconds, by calibration
    Visits visits;
  };

  /// Returns the parameters as text.
  std::string calibrate_and_predict() {
    const Parameters parameters = calibrate_in_peace(world_, extent_.calibrations);
    measured_ = with_parameters(world_, parameters);
    for (const Operation operation : extent_.operations) {
      for (const std::size_t bytes : extent_.bytes)
        predict({.operation = operation, .bytes = bytes});
    }
    for (const std::int64_t size : extent_.extents) predict({size, size, size});
    for (const std::int64_t order : extent_.orders) {
      for (const FactorisationKind kind : extent_.factorisations) predict(kind, order);
    }
    predicted_once_ = true;
    return to_text(parameters);
  }

  void predict(const BenchCall& call) {
    const BenchCase automatic(measured_, call);
    // Small sizes may be equal after rounding up.
    if (last_ == std::pair(call.operation, automatic.bytes())) return;
    last_ = {call.operation, automatic.bytes()};
    const auto choices = automatic.choices();
    const std::string chosen = automatic.algorithm();
    for (const Choice& choice : choices) {
      if (choice.seconds > extent_.slowest * choices.front().seconds) {
        if (!predicted_once_) ++report_.left_out;
        continue;
      }
      const std::string name(choice.algorithm->name);
      const Communicator communicator =
          measured_.with_algorithms(fmt::format("{}:{}", to_string(call.operation), name));
      plan({.operation = to_string(call.operation),
            .bytes = automatic.bytes(),
            .ranks = {},
            .shape = {},
            .algorithm = name,
            .predicted_seconds = choice.seconds,
            .measured_seconds = 0,
            .chosen = name == chosen,
            .disturbed = false},
           [this, communicator, call] { return Repetitions{run(communicator, call)}; });
    }
  }

  void predict(const ProductSize& size) {
    const LocalGemm gemm = LocalGemm::open(world_.environment(), 1);
    const auto candidates = multiplications_to_try(measured_, size, gemm);
    for (const PlanCandidate& candidate : candidates) {
      plan({.operation = "mm",
            .bytes = static_cast<std::size_t>(size.m * size.k + size.k * size.n + size.m * size.n) *
                     sizeof(double),
            .ranks = {},
            .shape = {},
            .algorithm =
                fmt::format("{} on {}", to_string(candidate.algorithm), describe_grid(candidate)),
            .predicted_seconds = candidate.seconds,
            .measured_seconds = 0,
            .chosen = &candidate == &candidates.front(),
            .disturbed = false},
           [this, size, gemm, candidate] {
             return Repetitions{measured_multiplication(measured_, size, gemm, candidate,
                                                        part_of(extent_.least_repetitions))};
           });
    }
  }

  void predict(FactorisationKind kind, std::int64_t n) {
    const LocalKernels kernels = LocalKernels::open(world_.environment(), 1);
    for (const FactorisationTrial& trial : factorisations_to_try(measured_, kind, n, kernels)) {
      plan({.operation = trial.operation,
            .bytes = trial.bytes,
            .ranks = {},
            .shape = {},
            .algorithm = trial.algorithm,
            .predicted_seconds = trial.predicted_seconds,
            .measured_seconds = 0,
            .chosen = trial.chosen,
            .disturbed = false,
            .words = ValidatedWords{.predicted = trial.predicted_words}},
           [this, run = trial.run] {
             FactorisationRuns runs = run(part_of(extent_.least_repetitions));
             return Repetitions{std::move(runs.seconds), runs.words};
           });
    }
  }

  /// The first calibration decides which cases are run; later calibrations only add predictions.
  void plan(ValidationCase prediction, std::function<Repetitions()> run) {
    const auto known = std::ranges::find_if(trials_, [&](const Trial& trial) {
      const ValidationCase& other = trial.prediction;
      return std::tie(other.operation, other.bytes, other.algorithm) ==
             std::tie(prediction.operation, prediction.bytes, prediction.algorithm);
    });
    if (known != trials_.end()) {
      known->predicted.push_back(prediction.predicted_seconds);
      known->run = std::move(run);
    } else if (!predicted_once_) {
      prediction.ranks = report_.ranks;
      prediction.shape = report_.shape;
      const double seconds = prediction.predicted_seconds;
      trials_.push_back({std::move(prediction), std::move(run), {seconds}, {}});
    }
  }

  void measure() {
    // On a shared machine the speed of cores and caches varies over time.
    const bool one_node = world_.state().cost_model.nodes.nodes() == 1;
    for (int sweep = 0; sweep < sweeps + extent_.sweeps_again && !ended_; ++sweep) {
      if (one_node && sweep > 0 && sweep < sweeps) calibrate_and_predict();
      std::vector<Trial*> due;
      for (Trial& trial : trials_) {
        if (sweep < sweeps || trial.visits.undisturbed() < sweeps) due.push_back(&trial);
      }
      visit(due, sweep);
    }
    report_.interrupted = ended_;
    for (Trial& trial : trials_) {
      if (trial.visits.all() == 0) continue;  // interrupted before
      trial.prediction.predicted_seconds = median_of(trial.predicted).value;
      trial.prediction.measured_seconds = trial.visits.median();
      trial.prediction.disturbed = trial.visits.undisturbed() == 0;
      report_.visits += trial.visits.all();
      report_.disturbed_visits += trial.visits.disturbed();
      report_.cases.push_back(std::move(trial.prediction));
    }
  }

  void visit(const std::vector<Trial*>& trials, int sweep) {
    Progress progress(static_cast<int>(trials.size()), world_.rank() == 0);
    for (Trial* const trial : trials) {
      ended_ = of_slowest(world_, interrupted() ? 1.0 : 0.0) > 0;
      if (ended_) return;
      const ValidationCase& one = trial->prediction;
      progress.step(fmt::format("sweep {}: {} of {} bytes, {}", sweep + 1, one.operation, one.bytes,
                                one.algorithm));
      const StolenTime stolen;
      const Repetitions repetitions = trial->run();
      trial->visits.add(repetitions.seconds, stolen.largest_share(world_));
      if (trial->prediction.words) trial->prediction.words->sent = repetitions.words;
    }
  }

  /// The number of repetitions in one sweep.
  static int part_of(double repetitions) {
    return static_cast<int>(std::ceil(repetitions / sweeps));
  }

  std::vector<double> run(const Communicator& communicator, const BenchCall& call) const {
    BenchCase test(communicator, call);
    const auto meet = [&] { barrier(world_); };
    const auto run_once = [&] { test.run(); };
    test.fill();
    const double each = std::max(warm_up(measured_, meet, run_once), 1e-6);
    std::vector<double> seconds;
    repeat(meet, run_once,
           part_of(std::clamp<double>(extent_.seconds_per_case / each, extent_.least_repetitions,
                                      extent_.most_repetitions)),
           seconds);
    return of_slowest(world_, std::move(seconds));
  }

  const ValidationExtent& extent_;
  const Communicator& world_;
  Communicator measured_;  ///< the same group, with the parameters of this calibration
  std::vector<Trial> trials_;
  std::optional<std::pair<Operation, std::size_t>>
      last_;  ///< the last predicted operation and its bytes
  bool predicted_once_ = false;
  bool ended_ = false;  ///< interrupted on some rank
  ValidationReport report_;
};

}  // namespace

ValidationReport validate(const ValidationExtent& extent, const Communicator& world) {
  return Validation(extent, world).run();
}

}  // namespace cuboid::detail::tools
