#include "tools/bench/bench_options.hpp"

#include "base/closest_name.hpp"
#include "collectives/algorithms/algorithm.hpp"
#include "tools/output/flag_values.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

constexpr SizeRange collective_sizes{8, 4 << 20};
constexpr SizeRange osu_collective_sizes{1, 1 << 20};

constexpr std::array forms = {CallForm::blocking, CallForm::nonblocking, CallForm::persistent};

using Kind = Datatype::Kind;
constexpr std::array types = {Kind::byte,      Kind::int8,    Kind::int16,   Kind::int32,
                              Kind::int64,     Kind::uint8,   Kind::uint16,  Kind::uint32,
                              Kind::uint64,    Kind::float32, Kind::float64, Kind::complex64,
                              Kind::complex128};

/// @param meant   the name for which a similar one is suggested
/// @param others  further names that the user may have meant
[[noreturn]] void refuse_name(std::string_view what, std::string_view name,
                              std::vector<std::string> names, std::string_view meant,
                              const std::vector<std::string>& others = {}) {
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (name.empty()) refuse(fmt::format("no {}: give one of {}", what, all));
  names.insert(names.end(), others.begin(), others.end());
  refuse(fmt::format("unknown {} \"{}\"{}: give one of {}", what, name, did_you_mean(meant, names),
                     all));
}

/// The element of `all` that is called `name`.
/// @param more  further names that the error message lists.
template <class All>
auto named(const All& all, std::string_view what, std::string_view name,
           std::string_view more = {}) {
  std::vector<std::string> names;
  for (const auto& one : all) {
    names.push_back(to_string(one));
    if (names.back() == name) return one;
  }
  if (!more.empty()) names.emplace_back(more);
  refuse_name(what, name, names, name);
}

Datatype read_type(const std::string& text, bool osu) {
  if (text.empty()) return osu ? Kind::int8 : Kind::float64;
  if (text == "mpi_char") return Kind::int8;  // OSU's names
  if (text == "mpi_int") return Kind::int32;
  if (text == "mpi_float") return Kind::float32;
  constexpr std::string_view own = "user:";
  if (!text.starts_with(own)) return named(types, "--type", text, "user:BYTES");
  std::size_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + own.size(), end, bytes);
  constexpr std::size_t most = 1 << 20;
  if (error != std::errc{} || rest != end || bytes < 1 || bytes > most)
    refuse(fmt::format("--type {}: give 1 to {} bytes of an element, as in user:24", text, most));
  return Datatype::user(bytes);
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
  refuse(fmt::format("--algorithm {}: {} has no such algorithm{}: give auto, all, or one of {}",
                     name, to_string(operation), did_you_mean(name, names),
                     fmt::join(names, ", ")));
}

bool can_be_in_place(Operation operation) {
  return operation != Operation::barrier && operation != Operation::broadcast &&
         operation != Operation::alltoall;
}

bool has_root(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

/// The operation, and true if `name` names its form with lengths (v-form).
/// @param others  further names that the user may have meant
std::pair<Operation, bool> read_operation(const std::string& name,
                                          std::vector<std::string> others = {}) {
  if (const auto operation = find_operation(name)) return {*operation, false};
  if (name == "reduce_scatter_block") return {Operation::reduce_scatter, false};  // MPI's name
  std::vector<std::string> names;
  for (const Operation operation : every_operation) {
    names.push_back(to_string(operation));
    if (!has_blocks(operation)) continue;
    names.push_back(to_string(operation) + "v");
    if (names.back() == name) return {operation, true};
  }
  others.emplace_back("bcast");             // MPI's name
  constexpr std::string_view osu = "osu_";  // before the names of OSU's programs
  const std::string_view whole = name;
  refuse_name("operation", name, names, whole.substr(whole.starts_with(osu) ? osu.size() : 0),
              others);
}

}  // namespace

std::string to_string(CallForm form) {
  switch (form) {
    case CallForm::blocking: return "blocking";
    case CallForm::nonblocking: return "nonblocking";
    case CallForm::persistent: break;
  }
  return "persistent";
}

std::string BenchOptions::name() const {
  return to_string(operation) + (v_form ? "v" : "");
}

Operation operation_from(const std::string& name) {
  const auto [operation, v_form] = read_operation(name);
  if (v_form)
    refuse(fmt::format("{}: give the form without lengths: {}", name, to_string(operation)));
  return operation;
}

void declare_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("OPERATION", flags.operation,
                     "broadcast, reduce, allreduce, allgather(v), reduce_scatter(v), gather(v), "
                     "scatter(v), alltoall(v), barrier, scan or exscan");
  declare_flags(command, flags.run,
                {.sizes_help = "Message size in bytes: one size, or MIN:MAX in powers of two "
                               "(default 8:4M). The blocks of all ranks together make up the "
                               "message; each block is rounded up to whole elements",
                 .osu = true});
  command
      .add_option(
          "-T,--type", flags.type,
          "Element type: byte, int32, float64, complex128, ..., OSU's mpi_char, mpi_int and "
          "mpi_float, or user:24 for a user-defined type of 24 bytes with a user-defined sum "
          "(default: float64)")
      ->group("Message");
  command.add_option("--root", flags.root, "Root rank (default: 0)")->group("Message");
  command
      .add_flag("--samples", flags.samples,
                "With --json: the seconds of every repetition, in order")
      ->group("Output");
  command.add_flag("--in-place", flags.in_place, "Use the same buffer for input and output")
      ->group("Message");
  command
      .add_option(
          "--memory", flags.memory,
          "Where the buffers lie: host; device, a CUDA device's memory; D:H, the root's (or "
          "rank 0's) on a device, the others' on the host, pinned; or H:D, the other way round")
      ->group("Message")
      ->capture_default_str();
  command
      .add_option("--lines", flags.lines,
                  "Run on all lines of the network along this axis at once, one group per line")
      ->group("Message");
  command
      .add_option("--sub-box", flags.sub_box,
                  "Run on a part of the network, given by its extents and its first node, e.g. "
                  "2x2@1,1; the other ranks wait")
      ->group("Message");
  command
      .add_option("--call", flags.call,
                  "blocking; nonblocking, which also measures the overlap with computation as OSU "
                  "does; or persistent, which plans the call once")
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--algorithm", flags.algorithm,
                  "auto: the model's choice; all: every algorithm of the operation; or one name")
      ->group("Run")
      ->capture_default_str();
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
}

BenchOptions read_flags(const BenchFlags& flags) {
  BenchOptions options;
  options.call = named(forms, "--call", flags.call);
  std::string operation = flags.operation;
  if (operation.starts_with('i')) {  // MPI's name of a non-blocking operation, e.g. ibcast
    operation.erase(0, 1);
    if (options.call == CallForm::persistent)
      refuse(fmt::format("{} --call {}: give one of both", flags.operation, flags.call));
    options.call = CallForm::nonblocking;
  }
  std::tie(options.operation, options.v_form) = read_operation(operation, flags.subcommands);
  options.run = read_flags(flags.run, flags.operation,
                           flags.run.osu ? osu_collective_sizes : collective_sizes);
  if (options.operation == Operation::barrier) {
    const auto without_size = [](const char* flag, const std::string& given) {
      if (!given.empty())
        refuse(fmt::format("{} {}: a barrier has no message; leave it out", flag, given));
    };
    without_size("--size", flags.run.sizes);
    without_size("--message-size", flags.run.message_size);
    without_size("--type", flags.type);
    options.run.bytes = {0};
  }
  options.type = read_type(flags.type, flags.run.osu);
  options.algorithms = read_algorithm(flags.algorithm, options.operation);
  options.all_algorithms = flags.algorithm == "all";
  if (flags.root && !has_root(options.operation))
    refuse(fmt::format("--root {}: {} has no root: leave it out", *flags.root, options.name()));
  options.root = flags.root.value_or(0);
  options.lines = flags.lines;
  if (!flags.sub_box.empty()) options.sub_box = parse_sub_box(flags.sub_box);
  if (flags.in_place && !can_be_in_place(options.operation)) {
    refuse(
        "--in-place: only reduce, allreduce, allgather, reduce_scatter, gather and scatter can run "
        "in place: leave it out (broadcast has one buffer, alltoall needs two)");
  }
  options.in_place = flags.in_place;
  options.memory = read_memory(flags.memory, options.run.against_mpi);
  if (flags.samples && !flags.run.json)
    refuse("--samples: a table has no room for every repetition: give --json as well");
  options.samples = flags.samples;
  if (!flags.output.empty())
    refuse(fmt::format("--output {}: only --calibrate writes a file: leave it out", flags.output));
  const std::size_t greatest_count = options.run.bytes.back() / options.type.bytes();
  if (options.run.against_mpi && greatest_count > std::numeric_limits<int>::max()) {
    refuse(fmt::format(
        "--size {}: MPI counts elements in an int; give a smaller size or another --type",
        flags.run.sizes));
  }
  return options;
}

}  // namespace cuboid::detail::tools
