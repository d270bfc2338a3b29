#include "tools/mm/mm_run.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/redistribute.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/local/on_device.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"
#include "mm/plan/rates.hpp"
#include "models/messages/measured.hpp"
#include "tools/command/memory.hpp"
#include "tools/command/over_ranks.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/mm/mm_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// α or β as a number of the matrices' type.
template <class T>
T factor(std::complex<double> value) {
  if constexpr (is_complex<T>) {
    return T(value);
  } else {
    return static_cast<T>(value.real());
  }
}

/// The words per rank of the C that β multiplies, which is kept for every repeat. It is a
/// floating-point number, so that sizes beyond any memory do no harm.
double words_of_kept_c(const MmOptions& options, const Product& product, int ranks) {
  if (!options.reads_c()) return 0;
  return static_cast<double>(product.m) * static_cast<double>(product.n) / ranks;
}

void check_memory(const MmOptions& options, const Product& product, const PlanCandidate& plan,
                  const Communicator& communicator) {
  const double words = plan.memory + words_of_kept_c(options, product, communicator.size());
  require_node_memory(
      communicator, [&](int) { return words * static_cast<double>(bytes_of(product.type)); },
      fmt::format("{} x {} x {} of {}", product.m, product.n, product.k, to_string(product.type)),
      "use more nodes, smaller matrices or a smaller --type");
}

/// One multiplication, as this rank measured it.
struct Measurement {
  double seconds = 0;
  PhaseSeconds phases;
  Traffic traffic;
};

/// The numbers that a rank reports to the other ranks at the end.
struct RankSummary {
  double read = 0;
  double write = 0;
  std::uint64_t peak_memory = 0;
};

/// The largest value of a member over all ranks.
template <class Rank, class Member>
auto largest(const std::vector<Rank>& ranks, Member member) {
  auto result = member(ranks.front());
  for (const Rank& rank : ranks) result = std::max(result, member(rank));
  return result;
}

template <class Rank, class Member>
auto sum_over(const std::vector<Rank>& ranks, Member member) {
  auto result = member(ranks.front());
  result = 0;
  for (const Rank& rank : ranks) result += member(rank);
  return result;
}

/// The `index`-th of several multiplications, as all ranks together measured it.
struct Repeat {
  double seconds = 0;  ///< seconds of the slowest rank
  std::size_t index = 0;
};

/// The run of the command on one rank.
template <MatrixElement T>
class MmRun {
 public:
  /// @param how  the algorithm to run, and the options that the planner must keep.
  MmRun(const MmOptions& options, const MultiplyOptions& how, const Product& product,
        const Communicator& communicator, const LocalGemm& gemm, Progress& progress)
      : options_(options),
        how_(how),
        product_(product),
        communicator_(communicator),
        gemm_(gemm),
        progress_(progress),
        request_(placed_request(options, product, sizeof(T), how, communicator)),
        candidates_(candidates_for(request_, rates_of<T>(communicator, gemm, request_.size), how)) {
  }

  MmResult run() {
    const PlanCandidate& plan = cheapest(candidates_, request_);
    collective_try(communicator_, [&] { check_memory(options_, product_, plan, communicator_); });
    const ProductLayouts stored =
        required_layouts(product_.size(), options_.op_a, options_.op_b, plan);
    const InSharedMemory shared = operands_to_share(plan);
    Matrix<T> A = input(options_.flags.a, stored.A, 0, shared.a);
    Matrix<T> B = input(options_.flags.b, stored.B, 1, shared.b);
    const Layout& layout = stored.C;
    std::optional<MultiplicationPlan<T>> multiplication(std::in_place, communicator_, stored, gemm_,
                                                        candidates_);
    std::optional<Matrix<T>> before;
    if (options_.reads_c()) before.emplace(input(options_.flags.c, layout, 2, false));
    Matrix<T> C = new_operand(layout, false);

    for (int repeat = 0; repeat < options_.flags.repeat; ++repeat) {
      progress_.step(options_.flags.repeat == 1
                         ? "multiply"
                         : fmt::format("multiply {}/{}", repeat + 1, options_.flags.repeat));
      if (before) redistribute(Op::none, *before, C);
      multiply_once(*multiplication, A, B, C);
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
    if (options_.flags.split) {
      multiplication.reset();  // because its memory is needed
      result.exchange_alone = exchange_alone(stored, A, B, C);
    }
    summarise(result);
    return result;
  }

 private:
  /// The median time of the same plan if nothing is multiplied. Overwrites C.
  double exchange_alone(const ProductLayouts& stored, const Matrix<T>& A, const Matrix<T>& B,
                        Matrix<T>& C) {
    progress_.step("exchange alone");
    Environment environment = communicator_.environment();
    environment.blas = "none";
    environment.device_use = DeviceUse::never;
    MultiplicationPlan<T> exchange(communicator_, stored,
                                   LocalGemm::open(environment, gemm_.threads()), candidates_);
    std::vector<double> seconds;
    repeat([&] { barrier(communicator_); },
           [&] { exchange.run(factor<T>(options_.alpha), A, B, factor<T>(options_.beta), C); },
           options_.flags.repeat, seconds);
    return median_of(of_slowest(communicator_, seconds)).value;
  }

  Matrix<T> new_operand(const Layout& layout, bool shared) {
    if (!how_.on_devices) return make_operand<T>(communicator_, layout, shared);
    return collective_try(communicator_, [&] {
      const std::optional<int> device = device_number(gemm_);
      if (device) return Matrix<T>::on_device(communicator_, layout, *device);
      throw Error(ErrorCode::unsupported, fmt::format("mm --memory device: rank {}: device: {}",
                                                      communicator_.rank(), gemm_.device()));
    });
  }

  /// Reads an operand, or generates the `index`-th random operand.
  Matrix<T> input(const std::string& path, const Layout& layout, std::uint64_t index, bool shared) {
    progress_.step(path.empty() ? "generate" : "read");
    const Stopwatch watch(summary_.read);
    Matrix<T> matrix = new_operand(layout, shared);
    if (!path.empty()) {
      read_matrix(path, matrix, options_.flags.reading());
      return matrix;
    }
    constexpr std::uint64_t inputs = 3;
    matrix.fill_random(options_.flags.seed * inputs + index);
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

  /// Sets the members of the result that need all ranks.
  void summarise(MmResult& result) const {
    result.product = product_;
    result.ranks = communicator_.size();
    result.transport = communicator_.transport();
    result.threads = gemm_.threads();
    result.algorithm = report_.algorithm;
    result.candidates = candidates_;
    result.sampled_groups = report_.sampled_groups;
    result.lower_bound_words = lower_bound_words(request_);
    if (options_.flags.explain) result.explanation = explain(candidates_, request_);
    result.blas = gemm_.library();
    result.kernels = gemm_.kernels();
    result.device =
        fmt::format("{}", fmt::join(different_texts(communicator_, gemm_.device()), "; "));
    result.precision = gemm_.factors();
    result.on_devices = how_.on_devices;
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
      return sum_over(ranks, member) / static_cast<double>(ranks.size());
    };
    result.phases.distribute = mean([](const Measurement& rank) { return rank.phases.distribute; });
    result.phases.broadcast = mean([](const Measurement& rank) { return rank.phases.broadcast; });
    result.phases.gemm = mean([](const Measurement& rank) { return rank.phases.gemm; });
    const auto sent = [](const Measurement& rank) { return rank.traffic.bytes_sent; };
    result.bytes_sent_total = sum_over(ranks, sent);
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

}  // namespace

PlanRequest placed_request(const MmOptions& options, const Product& product,
                           std::size_t element_bytes, const MultiplyOptions& how,
                           const Communicator& communicator) {
  PlanRequest request = plan_request(product.size(), element_bytes, communicator.size(), how);
  if (request.memory) {
    const double kept = std::ceil(words_of_kept_c(options, product, communicator.size()));
    const double left = std::max(0.0, static_cast<double>(*request.memory) - kept);
    request.memory = static_cast<std::int64_t>(left);
  }
  request.placement = placement_of(communicator);
  return request;
}

template <MatrixElement T>
MmResult run_product(const MmOptions& options, const MultiplyOptions& how, const Product& product,
                     const Communicator& communicator, const LocalGemm& gemm, Progress& progress) {
  return MmRun<T>(options, how, product, communicator, gemm, progress).run();
}

#define CUBOID_INSTANTIATE(T)                                                                \
  template MmResult run_product<T>(const MmOptions&, const MultiplyOptions&, const Product&, \
                                   const Communicator&, const LocalGemm&, Progress&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::tools
