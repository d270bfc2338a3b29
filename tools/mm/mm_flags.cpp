#include "tools/mm/mm_flags.hpp"

#include "mm/multiply/multiplication_table.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const MultiplicationEntry& entry : multiplication_table()) names.push_back(entry.name);
  return names;
}

}  // namespace

void declare_flags(CLI::App& command, MmFlags& flags) {
  command.add_option("A", flags.a, "Matrix file A: .npy, Matrix Market or FILE.h5:/NAME")
      ->group("Input");
  command.add_option("B", flags.b, "Matrix file B")->group("Input");
  command.add_option("--c", flags.c, "Matrix file C, scaled by --beta and added")->group("Input");
  command.add_option("--m", flags.m, "Random input: rows of C")->group("Input");
  command.add_option("--n", flags.n, "Random input: columns of C")->group("Input");
  command.add_option("--k", flags.k, "Random input: inner dimension")->group("Input");

  command.add_option("-o,--output", flags.output, "Write C to this .npy, .mtx or FILE.h5:/NAME")
      ->group("Output");

  command.add_flag("--transpose-a", flags.transpose_a, "Use the transpose of A")->group("Product");
  command.add_flag("--transpose-b", flags.transpose_b, "Use the transpose of B")->group("Product");
  command
      .add_flag("--conjugate-transpose-a", flags.conjugate_transpose_a,
                "Use the conjugate transpose of A")
      ->group("Product");
  command
      .add_flag("--conjugate-transpose-b", flags.conjugate_transpose_b,
                "Use the conjugate transpose of B")
      ->group("Product");
  command.add_option("--alpha", flags.alpha, "Factor alpha of op(A)*op(B), e.g. 2, -1.5e3 or 1+2i")
      ->group("Product")
      ->capture_default_str();
  command.add_option("--beta", flags.beta, "Factor beta of the input C")
      ->group("Product")
      ->capture_default_str();

  command
      .add_option("--algorithm", flags.algorithm,
                  fmt::format("auto (the model's choice), {}, or all to compare them",
                              fmt::join(algorithm_names(), ", ")))
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--device", flags.device,
                  "Multiply on the GPU (gpu), on the cores (cpu), or where that is faster (auto), "
                  "instead of what CUBOID_DEVICE says")
      ->group("Run");
  command
      .add_option("--memory", flags.memory,
                  "Where A, B and C lie: in the host's memory (host), or in that of the GPU that "
                  "multiplies (device)")
      ->group("Run")
      ->capture_default_str();
  command
      .add_option("--precision", flags.precision,
                  "single, or the factors of --type s and c are rounded: tf32 (on a GPU alone), "
                  "bfloat16 or half")
      ->group("Run");
  command
      .add_flag(
          "--volume-only", flags.volume_only,
          "Multiply nothing; print the words and the memory of each algorithm's busiest rank, for "
          "up to 2^20 --ranks")
      ->group("Output");
  command
      .add_flag("--split", flags.split,
                "Also run the exchange alone, and tell compute, exchange hidden, exchange shown "
                "and idle apart")
      ->group("Output");
  declare_algorithm_flags(command, flags);
  declare_matrix_flags(
      command, flags,
      {.runs = "multiplications",
       .memory = "matrices and communication buffers",
       .check = "Check C by Freivalds' test and, if memory allows, against a product on one rank",
       .explain = "Print the planner's candidates and the reason for its choice"});
}

}  // namespace cuboid::detail::tools
