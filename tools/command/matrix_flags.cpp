#include "tools/command/matrix_flags.hpp"

#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <chrono>

#include <fmt/format.h>

namespace cuboid::detail::tools {

void MatrixFlags::check_values() const {
  require_at_least("--threads", threads, 1);
  require_at_least("--repeat", repeat, 1);
  if (ranks) require_at_least("--ranks", *ranks, 1);
  require_timeout(timeout);
}

std::optional<ElementType> MatrixFlags::element_type() const {
  if (type.empty()) return std::nullopt;
  return parse_type(type);
}

std::optional<std::int64_t> MatrixFlags::memory_limit_bytes() const {
  if (memory_limit.empty()) return std::nullopt;
  return parse_bytes("--memory-limit", memory_limit);
}

Environment MatrixFlags::in(Environment environment) const {
  if (timeout) environment.timeout = std::chrono::duration<double>(*timeout);
  return environment;
}

void declare_matrix_flags(CLI::App& command, MatrixFlags& flags, const MatrixFlagTexts& words) {
  command.add_option("--seed", flags.seed, "Random input: seed; equal seeds give equal matrices")
      ->group("Input")
      ->capture_default_str();
  command
      .add_option("--type", flags.type,
                  "Element type: s, d, c or z (default: the files' type, else d)")
      ->group("Input");
  command
      .add_flag("--sum-duplicates", flags.sum_duplicates,
                "Matrix Market files: add the entries of an element that has several")
      ->group("Input");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table")
      ->group("Output");
  command.add_flag("--check", flags.check, words.check)->group("Output");
  command.add_flag("--explain", flags.explain, words.explain)->group("Output");
  command
      .add_option("--ranks", flags.ranks,
                  "Number of ranks, run as threads (default: usable cores / --threads); under "
                  "mpirun its processes are the ranks")
      ->group("Run");
  command.add_option("--threads", flags.threads, "Threads per rank")
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--memory-limit", flags.memory_limit,
                  fmt::format("Memory per rank for {}, e.g. 512M", words.memory))
      ->group("Run");
  command
      .add_option("--repeat", flags.repeat,
                  fmt::format("Number of {}; the median time is reported", words.runs))
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--timeout", flags.timeout,
                  "Deadline of every wait, in seconds (default: CUBOID_TIMEOUT, else 60)")
      ->group("Run");
}

}  // namespace cuboid::detail::tools
