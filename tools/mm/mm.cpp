#include "tools/mm/mm.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/multiply.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/files/matrix_path.hpp"
#include "mm/files/replacement_file.hpp"
#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/plan/rates.hpp"
#include "tools/command/ranks.hpp"
#include "tools/mm/mm_options.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/mm/mm_run.hpp"
#include "tools/mm/mm_volume.hpp"
#include "tools/output/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// The number of steps that a run announces to its progress bar.
int progress_steps(const MmOptions& options) {
  const int inputs = options.reads_c() ? 3 : 2;
  const int once = inputs + options.flags.repeat + (options.flags.check ? 1 : 0) +
                   (options.flags.split ? 1 : 0) + (options.flags.output.empty() ? 0 : 1);
  return once * (options.all_algorithms ? static_cast<int>(multiplication_algorithms().size()) : 1);
}

/// The results of a run of the command.
struct MmOutcome {
  std::vector<MmResult> results;  ///< one result, unless algorithms are compared
  std::vector<SkippedAlgorithm> skipped;

  bool is_right() const {
    return std::ranges::all_of(
        results, [](const MmResult& one) { return !one.check || one.check->holds(); });
  }
};

/// Runs every algorithm that can multiply this product. The same on every rank.
template <MatrixElement T>
MmOutcome compare_algorithms(const MmOptions& options, const Product& product,
                             const Communicator& communicator, const LocalGemm& gemm,
                             Progress& progress) {
  MmOutcome outcome;
  MultiplyOptions how = options.how;
  const Rates rates = rates_of<T>(communicator, gemm, {product.m, product.n, product.k});
  for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
    how.algorithm = algorithm;
    const PlanRequest request = placed_request(options, product, sizeof(T), how, communicator);
    try {
      // A product that cannot be planned fails on every rank alike, before anything is
      // communicated.
      cheapest(candidates_for(request, rates, how), request);
    } catch (const Error& error) {
      outcome.skipped.push_back({algorithm, error.what()});
      continue;
    }
    try {
      outcome.results.push_back(
          run_product<T>(options, how, product, communicator, gemm, progress));
    } catch (const Error& error) {
      // All ranks lack memory, or they agree that one rank lacks it.
      if (error.code() != ErrorCode::out_of_memory) throw;
      outcome.skipped.push_back({algorithm, error.what()});
    }
  }
  std::ranges::stable_sort(outcome.results, {}, &MmResult::seconds);
  return outcome;
}

/// Throws on all ranks if the files' headers, which every rank has read itself, differ between
/// ranks.
void require_same_files(const Communicator& communicator, const Product& product) {
  const auto as_numbers = [](const Product& one) {
    return std::array<std::int64_t, 4>{one.m, one.n, one.k, static_cast<std::int64_t>(one.type)};
  };
  std::array<std::int64_t, 4> of_rank_0 = as_numbers(product);
  broadcast(communicator, of_rank_0, 0);
  collective_try(communicator, [&] {
    if (of_rank_0 == as_numbers(product)) return;
    const auto described = [](const std::array<std::int64_t, 4>& one) {
      return fmt::format("{} x {} x {} of {}", one[0], one[1], one[2],
                         to_string(static_cast<ElementType>(one[3])));
    };
    throw Error(
        ErrorCode::mismatch,
        fmt::format("rank {} on {} reads files of a {} product, rank 0 files of a {} one: give "
                    "files that are the same on all nodes",
                    communicator.rank(), communicator.host(communicator.rank()),
                    described(as_numbers(product)), described(of_rank_0)));
  });
}

/// Checks that C can be written, with enough space for all of it. Its header takes at most a page.
void check_output(const std::string& path, const Product& product) {
  constexpr std::uint64_t page = 4096;
  check_matrix_file_writable(path);
  const double bytes = static_cast<double>(product.m) * static_cast<double>(product.n) *
                       static_cast<double>(bytes_of(product.type));
  constexpr double most = 9e18;  // the largest length that a file can have
  check_room(MatrixPath::of(path).file, static_cast<std::uint64_t>(std::min(bytes, most)) + page);
}

/// Runs the command on one rank, from beginning to end.
MmOutcome run_rank(const MmOptions& options, const Communicator& communicator) {
  const bool first = communicator.rank() == 0;
  const Product product = collective_try(communicator, [&] {
    const Product planned = plan_product(options, communicator.size());
    if (first && !options.flags.output.empty()) check_output(options.flags.output, planned);
    return planned;
  });
  require_same_files(communicator, product);
  const LocalGemm gemm = collective_try(communicator, [&] {
    return LocalGemm::open(communicator, options.flags.threads).with_factors(options.precision);
  });
  if (first && !gemm.advice().empty()) communicator.logger().warn(gemm.advice());
  Progress progress(progress_steps(options), first);
  return with_element_type(product.type, [&]<class T>() {
    if (options.all_algorithms) {
      return compare_algorithms<T>(options, product, communicator, gemm, progress);
    }
    MmOutcome outcome;
    outcome.results.push_back(
        run_product<T>(options, options.how, product, communicator, gemm, progress));
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
        "--check: the product by {} is wrong{}: relative error {:.2e}, tolerance {:.2e}",
        result.algorithm, fate, result.check->telling().relative_error,
        result.check->telling().tolerance));
  }
}

/// The checks of run_rank() that need no ranks. If all ranks are threads of this process, an error
/// is reported before any of them is started.
void check_before_ranks(const MmOptions& options, int ranks) {
  const Product product = plan_product(options, ranks);
  if (!options.flags.output.empty()) check_output(options.flags.output, product);
}

ExitCode run_mm(const MmFlags& flags, const Environment& given) {
  MmOptions options = read_flags(flags);
  Environment environment = flags.in(given);
  environment.device_use = options.device.value_or(environment.device_use);
  const Ranks ranks(flags.ranks,
                    ranks_of_grid(options.how).value_or(ranks_for_usable_cores(flags.threads)));
  if (flags.volume_only) return tell_volumes(options, ranks.size(), ranks.speak());
  options.flags.threads = sensible_threads(flags.threads, environment, ranks.speak());
  ranks.require_room();
  if (ranks.in_this_process() == ranks.size()) check_before_ranks(options, ranks.size());

  MmOutcome outcome = ranks.result_of(environment, [&](const Communicator& communicator) {
    return run_rank(options, communicator);
  });
  for (MmResult& result : outcome.results) {
    result.ranks_in_process = ranks.in_this_process();
    result.peak_memory_bytes_max /= static_cast<std::uint64_t>(ranks.in_this_process());
  }
  if (ranks.speak()) print_outcome(outcome, options);
  return outcome.is_right() && !outcome.results.empty() ? ExitCode::done : ExitCode::failed;
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

}  // namespace cuboid::detail::tools
