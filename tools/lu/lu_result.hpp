#pragma once

#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "tools/lu/lu_check.hpp"
#include "tools/lu/lu_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid lu` has to tell.
struct LuResult {
  LuProblem problem;
  bool cholesky = false;
  Pivoting pivoting = Pivoting::none;
  int ranks = 1;
  int threads = 1;
  int ranks_in_process = 1;
  FactorisePlan plan;
  std::string explanation;  ///< where it was asked for
  std::string blas, kernels, lapack, lapack_kernels;
  int repeats = 1;
  double seconds = 0;        ///< the median factorisation, by its slowest rank
  double solve_seconds = 0;  ///< all right-hand sides, refinement included; 0: nothing was solved
  double read = 0, write = 0;
  LuSeconds phases;   ///< of the last factorisation, the ranks' mean
  LuTraffic traffic;  ///< of the rank that sends most words in all
  std::int64_t info = 0;
  bool finite = true;                        ///< U's diagonal is
  double sign_real = 0, sign_imaginary = 0;  ///< of the determinant, of a square matrix
  std::optional<double> log_determinant;     ///< none where the matrix is not square
  std::optional<LuCheck> check;
  std::uint64_t bytes_sent_total = 0;  ///< of one factorisation, all ranks
  std::uint64_t bytes_sent_max = 0;
  std::uint64_t messages_max = 0;
  std::uint64_t peak_memory_bytes_max = 0;  ///< as MmResult's
  std::string output, factors_output;

  double gflops() const;
};

/// The object that --json prints: what it shares with `cuboid mm` is called the same.
nlohmann::ordered_json to_json(const LuResult& result);

/// The table for people.
std::string to_text(const LuResult& result);

}  // namespace cuboid::detail::tools
