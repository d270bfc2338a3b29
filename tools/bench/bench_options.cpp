#include "tools/bench/bench_options.hpp"

#include <cuboid/mpi.hpp>

#include "collectives/algorithms/algorithm.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/refuse.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

constexpr std::size_t least_bytes = 8;
constexpr std::size_t greatest_bytes = 4 << 20;

constexpr std::array operations = {
    Operation::broadcast,      Operation::reduce, Operation::allreduce, Operation::allgather,
    Operation::reduce_scatter, Operation::gather, Operation::scatter,   Operation::alltoall,
    Operation::barrier,        Operation::scan,   Operation::exscan};

using Kind = Datatype::Kind;
constexpr std::array types = {Kind::byte,      Kind::int8,    Kind::int16,   Kind::int32,
                              Kind::int64,     Kind::uint8,   Kind::uint16,  Kind::uint32,
                              Kind::uint64,    Kind::float32, Kind::float64, Kind::complex64,
                              Kind::complex128};

/// The one of `all` that is called `name`.
template <class All>
auto named(const All& all, std::string_view what, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& one : all) {
    names.push_back(to_string(one));
    if (names.back() == name) return one;
  }
  if (name.empty()) refuse(fmt::format("no {}: give one of {}", what, fmt::join(names, ", ")));
  refuse(fmt::format("unknown {} \"{}\": give one of {}", what, name, fmt::join(names, ", ")));
}

std::size_t parse_size(const std::string& all, std::string_view text) {
  const auto bad = [&] {
    refuse(
        fmt::format("--size {}: give bytes as in 16M, or a range as in 8:64K (K, M, G: 1024, "
                    "1024^2, 1024^3)",
                    all));
  };
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || unit.size() > 1) bad();
  int shift = 0;
  if (!unit.empty()) {
    const auto place = std::string_view("KMG").find(unit);
    if (place == std::string_view::npos) bad();
    shift = 10 * (static_cast<int>(place) + 1);
  }
  // One message must fit a machine's memory by far, and sums of several may not overflow.
  constexpr std::size_t most = std::size_t{1} << 40;
  if (count == 0 || count > (most >> shift)) {
    refuse(fmt::format("--size {}: give 1 byte to {} GiB", all, most >> 30));
  }
  return count << shift;
}

std::vector<std::string> read_algorithm(const std::string& name, Operation operation) {
  if (name == "auto") return {""};
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.serves(operation)) continue;
    if (algorithm.name == name) return {name};
    names.emplace_back(algorithm.name);
  }
  if (name == "all") return names;
  refuse(fmt::format("--algorithm {}: {} has no such algorithm: give auto, all, or one of {}", name,
                     to_string(operation), fmt::join(names, ", ")));
}

bool can_be_in_place(Operation operation) {
  return operation != Operation::barrier && operation != Operation::broadcast &&
         operation != Operation::alltoall;
}

}  // namespace

Operation operation_from(const std::string& name) {
  return named(operations, "operation", name);
}

std::vector<std::size_t> parse_sizes(const std::string& text) {
  const auto colon = text.find(':');
  const std::string_view all = text;
  if (colon == std::string::npos) return {parse_size(text, all)};
  const auto end_or = [&](std::string_view part, std::size_t otherwise) {
    return part.empty() ? otherwise : parse_size(text, part);
  };
  const std::size_t first = end_or(all.substr(0, colon), least_bytes);
  const std::size_t last = end_or(all.substr(colon + 1), greatest_bytes);
  if (first > last) {
    refuse(fmt::format("--size {}: {} is greater than {}: give the smaller size first", text, first,
                       last));
  }
  std::vector<std::size_t> sizes;
  for (std::size_t size = first; size <= last; size *= 2) sizes.push_back(size);
  return sizes;
}

void declare_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("OPERATION", flags.operation,
                     "broadcast, reduce, allreduce, allgather, reduce_scatter, gather, scatter, "
                     "alltoall, barrier, scan or exscan");
  command
      .add_option("--size", flags.sizes,
                  "Message size in bytes: one size, or MIN:MAX in powers of two (default 8:4M). "
                  "The blocks of all ranks together make up the message; each block is rounded up "
                  "to whole elements")
      ->group("Message");
  command.add_option("--type", flags.type, "Element type: byte, int32, float64, complex128, ...")
      ->group("Message")
      ->capture_default_str();
  command.add_option("--root", flags.root, "Root rank")->group("Message")->capture_default_str();
  command.add_flag("--in-place", flags.in_place, "Use the same buffer for input and output")
      ->group("Message");
  command
      .add_option("--lines", flags.lines,
                  "Run on all lines of the network along this axis at once, one group per line")
      ->group("Message");
  command
      .add_option("--algorithm", flags.algorithm,
                  "auto: the model's choice; all: every algorithm of the operation; or one name")
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--iterations", flags.iterations,
                  "Repetitions per size (default: about one second's worth, 10 to 1000)")
      ->group("Run");
  command.add_option("--warmup", flags.warmup, "Unmeasured repetitions per size")
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--against", flags.against,
                  "mpi: alternate with the launching MPI's own collective on the same buffers")
      ->group("Run");
  command
      .add_option(
          "--ranks", flags.ranks,
          "Number of ranks, run as threads (default: one per usable core); under mpirun its "
          "processes are the ranks")
      ->group("Run");
  command
      .add_flag(
          "--calibrate", flags.calibrate,
          "Measure this machine's model parameters, which select the algorithms, instead of an "
          "operation")
      ->group("Calibration");
  command
      .add_option("--output", flags.output,
                  "Parameter file to write (default: in the user's cache, where later runs find "
                  "it)")
      ->group("Calibration");
  command.add_flag("--validate", flags.validate, "Check the result of one repetition per size")
      ->group("Output");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table")
      ->group("Output");
}

BenchOptions read_flags(const BenchFlags& flags) {
  BenchOptions options;
  options.operation = operation_from(flags.operation);
  const bool message = options.operation != Operation::barrier;
  if (!message && !flags.sizes.empty()) {
    refuse(fmt::format("--size {}: a barrier has no message; leave it out", flags.sizes));
  }
  options.bytes =
      message ? parse_sizes(flags.sizes.empty() ? ":" : flags.sizes) : std::vector<std::size_t>{0};
  options.type = named(types, "--type", flags.type);
  options.algorithms = read_algorithm(flags.algorithm, options.operation);
  options.all_algorithms = flags.algorithm == "all";
  if (flags.iterations) require_at_least("--iterations", *flags.iterations, 1);
  require_at_least("--warmup", flags.warmup, 0);
  if (flags.ranks) require_at_least("--ranks", *flags.ranks, 1);
  options.iterations = flags.iterations;
  options.warmup = flags.warmup;
  options.root = flags.root;
  options.lines = flags.lines;
  options.ranks = flags.ranks;
  if (flags.in_place && !can_be_in_place(options.operation)) {
    refuse(
        "--in-place: only reduce, allreduce, allgather, reduce_scatter, gather and scatter can run "
        "in place: leave it out (broadcast has one buffer, alltoall needs two)");
  }
  options.in_place = flags.in_place;
  options.validate = flags.validate;
  if (!flags.output.empty())
    refuse(fmt::format("--output {}: only --calibrate writes a file: leave it out", flags.output));
  options.json = flags.json;
  if (!flags.against.empty() && flags.against != "mpi") {
    refuse(fmt::format("--against {}: only mpi can be compared with: give mpi, or leave it out",
                       flags.against));
  }
  options.against_mpi = !flags.against.empty();
  if (options.against_mpi && !MpiSession::launched()) {
    refuse(
        "--against mpi: no MPI has launched this command; start it as in `mpirun -n 4 cuboid bench "
        "broadcast --against mpi`");
  }
  const std::size_t greatest_count = options.bytes.back() / options.type.bytes();
  if (options.against_mpi && greatest_count > std::numeric_limits<int>::max()) {
    refuse(fmt::format(
        "--size {}: MPI counts elements in an int; give a smaller size or another --type",
        flags.sizes));
  }
  return options;
}

}  // namespace cuboid::detail::tools
