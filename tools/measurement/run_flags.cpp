#include "tools/measurement/run_flags.hpp"

#include <cuboid/mpi.hpp>

#include "tools/measurement/percentiles.hpp"
#include "tools/output/flag_values.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

Form read_form(const RunFlags& flags) {
  if (flags.json + flags.csv + flags.osu > 1)
    refuse("--json, --csv, --osu: the result is printed once: give one of them");
  if (flags.full && !flags.osu)
    refuse("--full: adds columns to OSU's table: give --osu, too, or leave it out");
  if (!flags.percentiles.empty() && !flags.osu)
    refuse("--tail-lat: adds columns to OSU's table: give --osu, too, or leave it out");
  if (flags.json) return Form::json;
  if (flags.csv) return Form::csv;
  return flags.osu ? Form::osu : Form::table;
}

std::vector<std::size_t> read_sizes(const RunFlags& flags, const SizeRange& defaults) {
  if (flags.message_size.empty())
    return parse_sizes(flags.sizes.empty() ? ":" : flags.sizes, defaults);
  if (!flags.sizes.empty()) {
    refuse(fmt::format("--size {} and --message-size {}: both give the sizes: leave one out",
                       flags.sizes, flags.message_size));
  }
  return parse_message_size(flags.message_size, defaults);
}

}  // namespace

void declare_flags(CLI::App& command, RunFlags& flags, const RunFlagsOffered& offered) {
  if (!offered.sizes_help.empty()) {
    command.add_option("--size", flags.sizes, offered.sizes_help)->group("Message");
    if (offered.osu) {
      command
          .add_option(
              "-m,--message-size", flags.message_size,
              "[MIN:]MAX: sizes in the syntax of OSU's benchmarks; a single size is the greatest")
          ->group("Message");
    }
  }
  command
      .add_option("-i,--iterations", flags.iterations,
                  "Repetitions per size (default: as many as fit in about a second)")
      ->group("Run");
  if (offered.warmup) {
    command.add_option("-x,--warmup", flags.warmup, "Unmeasured repetitions per size")
        ->group("Run");
  }
  command
      .add_option("--against", flags.against,
                  "mpi: alternate with the launching MPI's operation on the same buffers")
      ->group("Run");
  command
      .add_option(
          "--ranks", flags.ranks,
          "Number of ranks, run as threads (default: one per usable core; pairs need two); under "
          "mpirun its processes are the ranks")
      ->group("Run");
  if (offered.validate) {
    command
        .add_flag("-c,--validate", flags.validate, "Check the result of one repetition per size")
        ->group("Output");
  }
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table")
      ->group("Output");
  command.add_flag("--csv", flags.csv, "Print comma-separated values instead of a table")
      ->group("Output");
  if (!offered.osu) return;
  command
      .add_flag("--osu", flags.osu,
                "Print OSU's headers and columns; sizes are those of OSU's benchmarks")
      ->group("Output");
  command
      .add_flag("-f,--full", flags.full,
                "With --osu: add columns for the minimum, the maximum and the iterations")
      ->group("Output");
  if (!offered.percentiles) return;
  command
      .add_option("-z,--tail-lat", flags.percentiles,
                  "With --osu: add columns for percentiles of the repetitions, e.g. -z or -z95,99")
      ->expected(0, 1)
      ->default_str("50,90,99")
      ->group("Output");
}

RunOptions read_flags(const RunFlags& flags, const std::string& measurement,
                      const SizeRange& defaults) {
  RunOptions options;
  options.form = read_form(flags);
  options.full = flags.full;
  if (!flags.percentiles.empty()) options.percentiles = parse_percentiles(flags.percentiles);
  options.bytes = read_sizes(flags, defaults);
  if (flags.iterations) require_at_least("--iterations", *flags.iterations, 1);
  if (flags.warmup) require_at_least("--warmup", *flags.warmup, 0);
  if (flags.ranks) require_at_least("--ranks", *flags.ranks, 1);
  options.iterations = flags.iterations;
  options.warmup = flags.warmup;
  options.ranks = flags.ranks;
  options.validate = flags.validate;
  if (!flags.against.empty() && flags.against != "mpi") {
    refuse(
        fmt::format("--against {}: Cuboid can only be compared with mpi: give mpi, or leave it out",
                    flags.against));
  }
  options.against_mpi = !flags.against.empty();
  if (options.against_mpi && !MpiSession::launched()) {
    refuse(
        fmt::format("--against mpi: no MPI has launched this command; start it as in `mpirun -n "
                    "4 cuboid bench {} --against mpi`",
                    measurement));
  }
  return options;
}

}  // namespace cuboid::detail::tools
