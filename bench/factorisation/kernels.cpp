// What one core does in a factorisation beside large products, in shares of the rate of these: the
// numbers of UsualKernels and UsualCore (models/messages/usual_parameters.hpp). Prints JSON. Run:
// bench_kernels [WIDTH [REPEATS]]

#include <cuboid/environment.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "bench/median.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace {

using cuboid::LocalView;

class Operand {
 public:
  Operand(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<std::size_t>(rows * columns)) {}

  void fill() {
    std::minstd_rand numbers(1);
    std::uniform_real_distribution<double> some(-1, 1);
    for (double& element : elements_) element = some(numbers);
  }
  LocalView<double> view() { return {elements_.data(), rows_, columns_, rows_}; }
  double* data() { return elements_.data(); }
  std::int64_t rows() const { return rows_; }
  std::size_t bytes() const { return elements_.size() * sizeof(double); }

 private:
  std::int64_t rows_, columns_;
  std::vector<double> elements_;
};

double product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

class Kernels {
 public:
  explicit Kernels(int repeats)
      : kernels_(cuboid::LocalKernels::open(cuboid::Environment::read(), 1)), repeats_(repeats) {}

  /// Seconds of C ← C − A·B.
  double gemm(std::int64_t m, std::int64_t n, std::int64_t k) const {
    Operand A(m, k), B(k, n), C(m, n);
    return seconds({&A, &B, &C}, [&] {
      kernels_.gemm.on_cores(cuboid::Op::none, cuboid::Op::none, m, n, k, -1.0, A.data(), A.rows(),
                             B.data(), B.rows(), 1.0, C.data(), C.rows());
    });
  }

  double lu_panel(std::int64_t m, std::int64_t width) const {
    Operand A(m, width);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(width));
    return seconds({&A}, [&] { kernels_.lapack.getrf(A.view(), std::span(pivots)); });
  }

  double triangular_solve(std::int64_t width, std::int64_t columns) const {
    Operand L(width, width), B(width, columns);
    return seconds({&L, &B}, [&] {
      kernels_.lapack.trsm(cuboid::MatrixSide::left, cuboid::Triangle::lower, cuboid::Op::none,
                           cuboid::Diagonal::unit, 1.0, L.view(), B.view());
    });
  }

  double qr_panel(std::int64_t m, std::int64_t width) const {
    Operand A(m, width), factor(width, width);
    return seconds({&A, &factor}, [&] { kernels_.lapack.geqrt(A.view(), factor.view()); });
  }

  double copy_byte() const {
    Operand from(1 << 21, 1), to(1 << 21, 1);
    const double all =
        seconds({&from, &to}, [&] { std::memcpy(to.data(), from.data(), from.bytes()); });
    return all / static_cast<double>(from.bytes());
  }

 private:
  template <class Run>
  double seconds(std::initializer_list<Operand*> operands, const Run& run) const {
    const auto fill = [&] {
      for (Operand* operand : operands) operand->fill();
    };
    return median_seconds(repeats_, fill, run);
  }

  cuboid::LocalKernels kernels_;
  int repeats_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t width = argc > 1 ? std::atoll(argv[1]) : 64;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 11;
  if (width < 1 || repeats < 1) {
    std::fprintf(stderr, "usage: bench_kernels [WIDTH [REPEATS]]\n");
    return 2;
  }
  constexpr std::int64_t large = 256, rows = 2048;
  const Kernels kernels(repeats);
  const double rate = product(large, large, large) / kernels.gemm(large, large, large);
  const double narrow = kernels.gemm(rows, rows / 2, width);
  std::printf(
      "{\"width\": %lld, \"multiplications_per_second\": %.3g, \"seconds_per_byte_moved\": %.2g, "
      "\"lu_panel\": %.3f, \"triangular_solve\": %.3f, \"qr_panel\": %.3f, \"further_depth\": "
      "%.1f}\n",
      static_cast<long long>(width), rate, kernels.copy_byte(),
      product(rows, width, width) / 2 / kernels.lu_panel(rows, width) / rate,
      product(width, width, rows) / 2 / kernels.triangular_solve(width, rows) / rate,
      product(rows, width, width) / kernels.qr_panel(rows, width) / rate,
      narrow * rate / product(rows, rows / 2, 1) - static_cast<double>(width));
  return 0;
}
