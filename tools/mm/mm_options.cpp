#include "tools/mm/mm_options.hpp"

#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include "mm/multiply/multiplication_table.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

void parse_algorithm(const std::string& text, MmOptions& options) {
  options.all_algorithms = text == "all";
  if (options.all_algorithms) return;
  try {
    options.how.algorithm = parse_multiplication_algorithm(text);
  } catch (const Error& error) {
    refuse(fmt::format("--{}; or all to compare them", error.what()));
  }
}

std::optional<DeviceUse> parse_device(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "auto") return DeviceUse::automatic;
  if (text == "cpu") return DeviceUse::never;
  if (text == "gpu") return DeviceUse::always;
  refuse(fmt::format("--device {}: give auto, cpu or gpu", text));
}

/// True if the matrices lie in a GPU's memory.
bool parse_memory(const MmFlags& flags) {
  if (flags.memory == "host") return false;
  if (flags.memory != "device")
    refuse(fmt::format("--memory {}: give host or device", flags.memory));
  if (flags.device == "cpu")
    refuse("--memory device with --device cpu: the cores cannot read it: leave one of them out");
  if (flags.split)
    refuse("--memory device with --split, which runs the exchange without a GPU: leave one out");
  return true;
}

FactorPrecision parse_precision(const MmFlags& flags) {
  if (flags.precision.empty()) return FactorPrecision::single;
  const auto precision = [&] {
    try {
      return parse_factor_precision(flags.precision);
    } catch (const Error& error) {
      refuse(fmt::format("--{}", error.what()));
    }
  }();
  if (flags.check && precision != FactorPrecision::single) {
    refuse(fmt::format(
        "--precision {}: --check expects the rounding of single precision: leave one of them out",
        flags.precision));
  }
  return precision;
}

Op chosen_op(char operand, bool transpose, bool conjugate) {
  if (transpose && conjugate) {
    refuse(fmt::format("--transpose-{0} and --conjugate-transpose-{0} exclude each other: give one",
                       operand));
  }
  return conjugate ? Op::conjugate_transpose : transpose ? Op::transpose : Op::none;
}

void check_input(const MmFlags& flags) {
  const bool sizes = flags.m || flags.n || flags.k;
  if (!flags.a.empty() && sizes) {
    refuse("--m, --n, --k: files have sizes of their own: give either files or sizes");
  }
  if (!flags.a.empty() && flags.b.empty()) {
    refuse(fmt::format("{}: only one file given: give two, as in: cuboid mm A.npy B.npy -o C.npy",
                       flags.a));
  }
  if (flags.a.empty() && !(flags.m && flags.n && flags.k)) {
    refuse(
        "nothing to multiply: give two files, as in: cuboid mm A.npy B.npy -o C.npy, or --m, --n "
        "and --k for random matrices");
  }
  if (sizes) {
    require_at_least("--m", *flags.m, 0);
    require_at_least("--n", *flags.n, 0);
    require_at_least("--k", *flags.k, 0);
  }
}

void check_beta(const MmOptions& options) {
  const MmFlags& flags = options.flags;
  if (options.reads_c() && options.from_files() && flags.c.empty()) {
    refuse(fmt::format("--beta {}: C is missing: give it with --c FILE", flags.beta));
  }
  if (!flags.c.empty() && !options.from_files()) {
    refuse(fmt::format("--c {}: with --m, --n and --k C is random, too: leave --c out", flags.c));
  }
  if (!flags.c.empty() && !options.reads_c()) {
    refuse(fmt::format("--c {}: has no effect without --beta: give --beta", flags.c));
  }
}

void check_volume_only(const MmFlags& flags) {
  if (!flags.volume_only) return;
  if (!flags.output.empty()) {
    refuse(fmt::format("-o {}: --volume-only multiplies nothing: leave one of them out",
                       flags.output));
  }
  if (flags.check) refuse("--check: --volume-only multiplies nothing: leave one of them out");
  if (flags.split) refuse("--split: --volume-only multiplies nothing: leave one of them out");
}

/// The matrix of a file, in its role in the product.
struct Input {
  std::string text;  ///< for messages
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  ElementType type = ElementType::float64;
};

Input describe_input(const std::string& path, Op op) {
  const MatrixFileDescription file = describe_matrix_file(path);
  const std::string text = fmt::format("{} is {} x {}", path, file.rows, file.columns);
  if (op == Op::none) return {text, file.rows, file.columns, file.type};
  return {fmt::format("{}, transposed {} x {}", text, file.columns, file.rows), file.columns,
          file.rows, file.type};
}

Product product_of_files(const MmOptions& options) {
  const Input a = describe_input(options.flags.a, options.op_a);
  const Input b = describe_input(options.flags.b, options.op_b);
  if (a.columns != b.rows) {
    refuse(
        fmt::format("these do not multiply: {}; {}: the columns of the first must be the rows of "
                    "the second (see --transpose-a, --transpose-b)",
                    a.text, b.text));
  }
  Product product{a.rows, b.columns, a.columns, common_type(a.type, b.type)};
  if (!options.flags.c.empty()) {
    const Input c = describe_input(options.flags.c, Op::none);
    if (c.rows != product.m || c.columns != product.n) {
      refuse(fmt::format("--c {}, the product is {} x {}", c.text, product.m, product.n));
    }
    product.type = common_type(product.type, c.type);
  }
  return product;
}

void check_factor(const char* flag, const std::string& text, std::complex<double> value,
                  ElementType type) {
  if (value.imag() != 0 && fits(type, ElementType::float64)) {
    refuse(
        fmt::format("{} {}: real matrices cannot take a complex factor: give --type c or --type z",
                    flag, text));
  }
  const auto is_lost = [](double part) {
    const auto single = static_cast<float>(part);
    return std::isfinite(part) && part != 0 && (single == 0 || !std::isfinite(single));
  };
  if (fits(type, ElementType::complex64) && (is_lost(value.real()) || is_lost(value.imag()))) {
    refuse(fmt::format("{} {}: single precision cannot hold this: give --type d or --type z", flag,
                       text));
  }
}

}  // namespace

MmOptions read_flags(const MmFlags& flags) {
  check_input(flags);
  flags.check_values();

  MmOptions options;
  options.flags = flags;
  options.op_a = chosen_op('a', flags.transpose_a, flags.conjugate_transpose_a);
  options.op_b = chosen_op('b', flags.transpose_b, flags.conjugate_transpose_b);
  options.alpha = parse_number("--alpha", flags.alpha);
  options.beta = parse_number("--beta", flags.beta);
  options.type = flags.element_type();
  parse_algorithm(flags.algorithm, options);
  options.device = parse_device(flags.device);
  options.precision = parse_precision(flags);
  options.how = options_of(flags, options.how.algorithm);
  options.how.memory_limit = flags.memory_limit_bytes();
  options.how.on_devices = parse_memory(flags);
  if (options.all_algorithms && !flags.output.empty()) {
    refuse(fmt::format("-o {}: --algorithm all only compares, name one algorithm", flags.output));
  }
  check_beta(options);
  if (!options.all_algorithms) refuse_without_effect(flags, options.how);
  check_volume_only(flags);
  return options;
}

namespace {

int ranks_of(const GridShape& grid, std::optional<int> layers) {
  const std::int64_t ranks = std::int64_t{grid.size()} * layers.value_or(1);
  if (ranks > std::numeric_limits<int>::max()) {
    refuse(fmt::format("--grid {} with --layers {} is for {} ranks: give fewer", to_string(grid),
                       layers.value_or(1), ranks));
  }
  return static_cast<int>(ranks);
}

}  // namespace

std::optional<int> ranks_of_grid(const MultiplyOptions& how) {
  if (how.grid) return ranks_of(*how.grid, how.layers);
  if (!how.bricks) return std::nullopt;
  const auto [rows, columns, layers] = *how.bricks;
  return ranks_of(GridShape(rows, columns), layers);
}

Product plan_product(const MmOptions& options, int ranks) {
  const MmFlags& flags = options.flags;
  Product product;
  if (options.from_files()) {
    product = product_of_files(options);
  } else {
    product = {*flags.m, *flags.n, *flags.k, ElementType::float64};
  }
  if (options.type) product.type = *options.type;
  if (!flags.precision.empty() && !fits(product.type, ElementType::complex64)) {
    refuse(fmt::format("--precision {}: the product is of type {}: give --type s or --type c",
                       flags.precision, to_string(product.type)));
  }
  check_factor("--alpha", flags.alpha, options.alpha, product.type);
  check_factor("--beta", flags.beta, options.beta, product.type);
  if (const auto& grid = options.how.grid) {
    const int size = ranks_of(*grid, options.how.layers);
    if (size != ranks) {
      const bool several = options.how.algorithm == MultiplicationAlgorithm::two_and_a_half_d &&
                           !options.how.layers && ranks % size == 0;
      refuse(fmt::format(
          "--grid {}{} is for {} ranks, there are {}: give --ranks {}{} or another grid",
          flags.grid,
          options.how.layers ? fmt::format(" with --layers {}", *options.how.layers) : "", size,
          ranks, size, several ? fmt::format(", --layers {}", ranks / size) : ""));
    }
  }
  return product;
}

}  // namespace cuboid::detail::tools
