#include <cuboid/collectives/agreed.hpp>
#include <cuboid/collectives/allgather.hpp>
#include <cuboid/collectives/barrier.hpp>
#include <cuboid/collectives/broadcast.hpp>
#include <cuboid/mm/files/matrix_file.hpp>
#include <cuboid/mm/make_multiplication.hpp>
#include <cuboid/mm/multiply.hpp>
#include <cuboid/mm/plan_text.hpp>
#include <cuboid/mm/rates.hpp>
#include <cuboid/mm/redistribute.hpp>
#include <cuboid/mm/stopwatch.hpp>
#include <cuboid/tools/memory.hpp>
#include <cuboid/tools/mm.hpp>
#include <cuboid/tools/mm_check.hpp>
#include <cuboid/tools/mm_options.hpp>
#include <cuboid/tools/mm_result.hpp>
#include <cuboid/tools/number.hpp>
#include <cuboid/tools/progress.hpp>
#include <cuboid/tools/ranks.hpp>
#include <cuboid/tools/refuse.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::tools {

namespace {

/// α and β as numbers of the matrices' type.
template <class T>
T factor(std::complex<double> value) {
  if constexpr (is_complex<T>) {
    return T(value);
  } else {
    return static_cast<T>(value.real());
  }
}

/// Bytes that a rank needs for a plan. In floating point, where sizes beyond any memory do no harm.
double bytes_needed(const MmOptions& options, const Product& product, const PlanCandidate& plan,
                    int ranks) {
  const double kept_c =
      options.reads_c() ? static_cast<double>(product.m) * static_cast<double>(product.n) / ranks
                        : 0;
  return (plan.memory + kept_c) * static_cast<double>(bytes_of(product.type));
}

/// Throws Error(out_of_memory) where the ranks on this node need more than it has available.
void check_memory(const MmOptions& options, const Product& product, const PlanCandidate& plan,
                  const Communicator& communicator) {
  const auto available = available_memory();
  if (!available) return;
  double needed = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (!communicator.same_node(rank)) continue;
    needed += bytes_needed(options, product, plan, communicator.size());
  }
  if (needed <= static_cast<double>(*available)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("not enough memory: {} x {} x {} of {} needs {} on {}, {} are available: "
                          "use more nodes, smaller matrices or a smaller --type",
                          product.m, product.n, product.k, to_string(product.type),
                          bytes_to_string(needed), communicator.host(communicator.rank()),
                          bytes_to_string(static_cast<double>(*available))));
}

/// One multiplication, as this rank saw it.
struct Measurement {
  double seconds = 0;
  PhaseSeconds phases;
  Traffic traffic;
};

/// What a rank tells the others at the end.
struct RankSummary {
  double read = 0;
  double write = 0;
  std::uint64_t peak_memory = 0;
};

/// Everybody's value, by rank.
template <class Value>
std::vector<Value> of_all_ranks(const Communicator& communicator, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, std::span(&mine, 1), std::span(all));
  return all;
}

/// The largest of a member over all ranks.
template <class Rank, class Member>
auto largest(const std::vector<Rank>& ranks, Member member) {
  auto result = member(ranks.front());
  for (const Rank& rank : ranks) result = std::max(result, member(rank));
  return result;
}

template <class Rank, class Member>
auto sum(const std::vector<Rank>& ranks, Member member) {
  auto result = member(ranks.front());
  result = 0;
  for (const Rank& rank : ranks) result += member(rank);
  return result;
}

/// Multiplication number `index` of several, seen by all ranks.
struct Repeat {
  double seconds = 0;  ///< of the slowest rank
  std::size_t index = 0;
};

/// The request of ranks that are where they are.
PlanRequest placed(PlanRequest request, const Communicator& communicator) {
  request.placement = placement_of(communicator);
  return request;
}

/// One rank's run of the command.
template <MatrixElement T>
class MmRun {
 public:
  /// @param how  the algorithm to run, and what the planner must keep to.
  MmRun(const MmOptions& options, const MultiplyOptions& how, const Product& product,
        const Communicator& communicator, const LocalGemm& gemm, Progress& progress)
      : options_(options),
        how_(how),
        product_(product),
        communicator_(communicator),
        gemm_(gemm),
        progress_(progress),
        request_(placed(plan_request(product.size(), sizeof(T), communicator.size(), how),
                        communicator)),
        candidates_(candidates_for(request_, rates_of<T>(communicator, gemm), how)) {}

  MmResult run() {
    const PlanCandidate& plan = cheapest(candidates_, request_);
    agreed(communicator_, [&] { check_memory(options_, product_, plan, communicator_); });
    const StoredProduct stored =
        wanted_layouts(product_.size(), options_.op_a, options_.op_b, plan);
    const InSharedMemory shared = operands_to_share(plan);
    Matrix<T> A = input(options_.flags.a, stored.A, 0, shared.a);
    Matrix<T> B = input(options_.flags.b, stored.B, 1, shared.b);
    const Layout& layout = stored.C;
    MultiplicationPlan<T> multiplication(communicator_, stored, gemm_, candidates_);
    std::optional<Matrix<T>> before;
    if (options_.reads_c()) before.emplace(input(options_.flags.c, layout, 2, false));
    Matrix<T> C = agreed(communicator_, [&] { return Matrix<T>(communicator_, layout); });

    for (int repeat = 0; repeat < options_.flags.repeat; ++repeat) {
      progress_.step(options_.flags.repeat == 1
                         ? "multiply"
                         : fmt::format("multiply {}/{}", repeat + 1, options_.flags.repeat));
      if (before) redistribute(Op::none, *before, C);
      multiply_once(multiplication, A, B, C);
    }
    summary_.peak_memory = peak_resident_memory();

    MmResult result;
    if (options_.flags.check) {
      progress_.step("check");
      result.check = check_product<T>({factor<T>(options_.alpha),
                                       {options_.op_a, A},
                                       {options_.op_b, B},
                                       factor<T>(options_.beta),
                                       before ? *before : C,
                                       C},
                                      gemm_);
    }
    const bool wrong = result.check && !result.check->holds();
    if (!options_.flags.output.empty() && !wrong) {
      progress_.step("write");
      const Stopwatch watch(summary_.write);
      write_matrix(options_.flags.output, C);
      result.output = options_.flags.output;
    }
    summarise(result);
    return result;
  }

 private:
  /// Reads an operand, or makes the `number`-th random one.
  Matrix<T> input(const std::string& path, const Layout& layout, std::uint64_t number,
                  bool shared) {
    progress_.step(path.empty() ? "generate" : "read");
    const Stopwatch watch(summary_.read);
    Matrix<T> matrix = make_operand<T>(communicator_, layout, shared);
    if (!path.empty()) {
      read_matrix(path, matrix);
      return matrix;
    }
    constexpr std::uint64_t inputs = 3;
    matrix.fill_random(options_.flags.seed * inputs + number);
    return matrix;
  }

  void multiply_once(MultiplicationPlan<T>& multiplication, const Matrix<T>& A, const Matrix<T>& B,
                     Matrix<T>& C) {
    barrier(communicator_);
    const Traffic before = communicator_.traffic();
    Measurement measurement;
    {
      const Stopwatch watch(measurement.seconds);
      report_ = multiplication.run(factor<T>(options_.alpha), A, B, factor<T>(options_.beta), C);
    }
    measurement.phases = report_.seconds;
    measurement.traffic = communicator_.traffic() - before;
    measurements_.push_back(measurement);
  }

  /// Fills in what takes all ranks to know.
  void summarise(MmResult& result) const {
    result.product = product_;
    result.ranks = communicator_.size();
    result.threads = gemm_.threads();
    result.algorithm = report_.algorithm;
    result.candidates = candidates_;
    result.sampled_groups = report_.sampled_groups;
    result.lower_bound_words = lower_bound_words(request_);
    if (options_.flags.explain) result.explanation = explain(candidates_, request_);
    result.blas = gemm_.library();
    result.kernels = gemm_.kernels();
    result.repeats = options_.flags.repeat;

    std::vector<std::vector<Measurement>> repeats;
    std::vector<Repeat> order;
    for (const Measurement& mine : measurements_) {
      repeats.push_back(of_all_ranks(communicator_, mine));
      const double seconds =
          largest(repeats.back(), [](const Measurement& rank) { return rank.seconds; });
      order.push_back({seconds, order.size()});
    }
    std::sort(order.begin(), order.end(),
              [](const Repeat& left, const Repeat& right) { return left.seconds < right.seconds; });
    const std::size_t upper = order.size() / 2;
    const std::size_t lower = (order.size() - 1) / 2;
    result.seconds = (order[lower].seconds + order[upper].seconds) / 2;
    fill_in(result, repeats[order[lower].index]);

    const auto ranks = of_all_ranks(communicator_, summary_);
    result.phases.read = largest(ranks, [](const RankSummary& rank) { return rank.read; });
    result.phases.write = largest(ranks, [](const RankSummary& rank) { return rank.write; });
    result.peak_memory_bytes_max =
        largest(ranks, [](const RankSummary& rank) { return rank.peak_memory; });
  }

  static void fill_in(MmResult& result, const std::vector<Measurement>& ranks) {
    const auto mean = [&](auto member) {
      return sum(ranks, member) / static_cast<double>(ranks.size());
    };
    result.phases.distribute = mean([](const Measurement& rank) { return rank.phases.distribute; });
    result.phases.broadcast = mean([](const Measurement& rank) { return rank.phases.broadcast; });
    result.phases.gemm = mean([](const Measurement& rank) { return rank.phases.gemm; });
    const auto sent = [](const Measurement& rank) { return rank.traffic.bytes_sent; };
    result.bytes_sent_total = sum(ranks, sent);
    result.bytes_sent_max = largest(ranks, sent);
    result.bytes_received_max =
        largest(ranks, [](const Measurement& rank) { return rank.traffic.bytes_received; });
    result.messages_max =
        largest(ranks, [](const Measurement& rank) { return rank.traffic.messages_sent; });
  }

  const MmOptions& options_;
  const MultiplyOptions& how_;
  const Product& product_;
  const Communicator& communicator_;
  const LocalGemm& gemm_;
  Progress& progress_;
  PlanRequest request_;
  std::vector<PlanCandidate> candidates_;
  Report report_;
  std::vector<Measurement> measurements_;
  RankSummary summary_;
};

/// How many steps a run announces to its progress bar.
int progress_steps(const MmOptions& options) {
  const int inputs = options.reads_c() ? 3 : 2;
  const int once = inputs + options.flags.repeat + (options.flags.check ? 1 : 0) +
                   (options.flags.output.empty() ? 0 : 1);
  return once * (options.all_algorithms ? static_cast<int>(runnable_algorithms().size()) : 1);
}

/// What a run of the command has to tell.
struct MmOutcome {
  std::vector<MmResult> results;  ///< one, unless algorithms are compared
  std::vector<SkippedAlgorithm> skipped;

  bool is_right() const {
    return std::ranges::all_of(
        results, [](const MmResult& one) { return !one.check || one.check->holds(); });
  }
};

/// Runs every algorithm that can multiply this product; the same on every rank.
template <MatrixElement T>
MmOutcome compare_algorithms(const MmOptions& options, const Product& product,
                             const Communicator& communicator, const LocalGemm& gemm,
                             Progress& progress) {
  MmOutcome outcome;
  MultiplyOptions how = options.how;
  const Rates rates = rates_of<T>(communicator, gemm);
  for (const MultiplicationAlgorithm algorithm : runnable_algorithms()) {
    how.algorithm = algorithm;
    const PlanRequest request =
        placed(plan_request(product.size(), sizeof(T), communicator.size(), how), communicator);
    try {
      // What cannot be planned fails on every rank alike, before anything is communicated.
      cheapest(candidates_for(request, rates, how), request);
    } catch (const Error& error) {
      outcome.skipped.push_back({algorithm, error.what()});
      continue;
    }
    outcome.results.push_back(MmRun<T>(options, how, product, communicator, gemm, progress).run());
  }
  std::ranges::stable_sort(outcome.results, {}, &MmResult::seconds);
  return outcome;
}

/// Every rank has read the files' heads itself: throws on all of them where they saw different
/// ones.
void require_same_files(const Communicator& communicator, const Product& product) {
  const auto as_numbers = [](const Product& one) {
    return std::array<std::int64_t, 4>{one.m, one.n, one.k, static_cast<std::int64_t>(one.type)};
  };
  std::array<std::int64_t, 4> of_rank_0 = as_numbers(product);
  broadcast(communicator, of_rank_0, 0);
  agreed(communicator, [&] {
    if (of_rank_0 == as_numbers(product)) return;
    const auto described = [](const std::array<std::int64_t, 4>& one) {
      return fmt::format("{} x {} x {} of {}", one[0], one[1], one[2],
                         to_string(static_cast<ElementType>(one[3])));
    };
    throw Error(
        ErrorCode::mismatch,
        fmt::format("rank {} on {} reads files for {}, rank 0 for {}: give files that are the same "
                    "on all nodes",
                    communicator.rank(), communicator.host(communicator.rank()),
                    described(as_numbers(product)), described(of_rank_0)));
  });
}

/// What one rank does from beginning to end.
MmOutcome run_rank(const MmOptions& options, const Communicator& communicator) {
  const bool first = communicator.rank() == 0;
  const Product product = agreed(communicator, [&] {
    if (first && !options.flags.output.empty()) check_matrix_file_writable(options.flags.output);
    return plan_product(options, communicator.size());
  });
  require_same_files(communicator, product);
  const LocalGemm gemm = agreed(communicator, [&] {
    return LocalGemm::open(communicator.environment(), options.flags.threads);
  });
  if (first && !gemm.advice().empty()) communicator.logger().warn(gemm.advice());
  Progress progress(progress_steps(options), first);
  return with_element_type(product.type, [&]<class T>() {
    if (options.all_algorithms) {
      return compare_algorithms<T>(options, product, communicator, gemm, progress);
    }
    MmOutcome outcome;
    outcome.results.push_back(
        MmRun<T>(options, options.how, product, communicator, gemm, progress).run());
    return outcome;
  });
}

void print_outcome(const MmOutcome& outcome, const MmOptions& options) {
  const auto& [results, skipped] = outcome;
  if (options.all_algorithms) {
    if (options.flags.json) {
      print_json(comparison_json(results, skipped));
    } else {
      print_text(comparison_text(results, skipped));
    }
  } else {
    print_result(results.front(), options.flags.json);
  }
  for (const MmResult& result : results) {
    if (!result.check || result.check->holds()) continue;
    const char* const fate = options.flags.output.empty() ? "" : ", and was not written";
    print_error(fmt::format(
        "--check: the product of {} is wrong{}: relative error {:.2e}, tolerance {:.2e}",
        result.algorithm, fate, result.check->telling().relative_error,
        result.check->telling().tolerance));
  }
}

/// What every algorithm would communicate, without ranks and data.
ExitCode tell_volumes(const MmOptions& options, int ranks, bool speak) {
  constexpr int most_ranks = 1 << 20;  // more take minutes to plan for
  if (ranks > most_ranks)
    refuse(fmt::format("--volume-only: for {} ranks: give at most {}", ranks, most_ranks));
  const Product product = plan_product(options, ranks);
  const PlanRequest request =
      plan_request(product.size(), bytes_of(product.type), ranks, options.how);
  const bool all =
      options.all_algorithms || options.how.algorithm == MultiplicationAlgorithm::automatic;
  // A machine on which nothing but words takes time: the fewest words come first.
  const Rates words_only{{0, 1e-9}, 1e30, false};
  const auto priced =
      all ? plan_candidates(request, words_only) : candidates_for(request, words_only, options.how);
  std::vector<PlanCandidate> candidates;  // the best of each algorithm
  for (const PlanCandidate& one : priced) {
    const bool seen = std::ranges::any_of(
        candidates, [&](const PlanCandidate& other) { return other.algorithm == one.algorithm; });
    if (!seen) candidates.push_back(one);
  }
  if (!speak) return ExitCode::done;
  if (options.flags.json) {
    print_json(volume_json(candidates, request));
  } else {
    print_text(volume_text(candidates, request));
  }
  return ExitCode::done;
}

/// What run_rank() finds wrong, too, but sooner: where all ranks are threads of this process, they
/// need not be started to learn that there is nothing for them to do.
void check_before_ranks(const MmOptions& options, int ranks) {
  if (!options.flags.output.empty()) check_matrix_file_writable(options.flags.output);
  plan_product(options, ranks);
}

ExitCode run_mm(const MmFlags& flags, Environment environment) {
  const MmOptions options = read_flags(flags);
  if (flags.timeout) environment.timeout = std::chrono::duration<double>(*flags.timeout);
  const Ranks ranks(flags.ranks, options.how.grid ? ranks_of(*options.how.grid, options.how.layers)
                                                  : ranks_for_usable_cores(flags.threads));
  if (flags.volume_only) return tell_volumes(options, ranks.size(), ranks.speak());
  if (ranks.in_this_process() == ranks.size()) check_before_ranks(options, ranks.size());

  std::mutex mutex;
  MmOutcome outcome;  // the same on every rank
  ranks.run(environment, [&](const Communicator& communicator) {
    MmOutcome mine = run_rank(options, communicator);
    const std::lock_guard lock(mutex);
    outcome = std::move(mine);
  });
  for (MmResult& result : outcome.results) {
    result.ranks_in_process = ranks.in_this_process();
    result.peak_memory_bytes_max /= static_cast<std::uint64_t>(ranks.in_this_process());
  }
  if (ranks.speak()) print_outcome(outcome, options);
  return outcome.is_right() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_mm_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<MmFlags>();
  CLI::App* const command =
      app.add_subcommand("mm", "Multiply two matrices: C = alpha*op(A)*op(B) + beta*C");
  command->footer(
      "Examples:\n"
      "  cuboid mm A.npy B.npy -o C.npy --check\n"
      "  cuboid mm --m 4096 --n 4096 --k 4096 --ranks 4 --repeat 3 --json\n"
      "  cuboid mm --m 1000 --n 1000 --k 1000 --ranks 4 --algorithm all --check\n"
      "  cuboid mm --m 16384 --n 16384 --k 16384 --ranks 18432 --volume-only\n"
      "  mpirun -n 4 cuboid mm A.npy B.npy -o C.npy");
  declare_flags(*command, *flags);
  command->callback([flags, &context] {
    context.action = [flags, &context] { return run_mm(*flags, context.environment); };
  });
}

}  // namespace cuboid::tools
