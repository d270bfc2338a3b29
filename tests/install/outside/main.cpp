// What a user of the library writes first: ranks, a collective, a system of equations, a check.

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/multiply.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// Solves A·X = B for a B = A·1, of which the solution is 1.
void solve_equations(const cuboid::Communicator& communicator) {
  const cuboid::Layout equations = cuboid::Layout::block(40, 2, cuboid::GridShape(3, 1));
  cuboid::Matrix<double> A(communicator, cuboid::Layout::block(40, 40, cuboid::GridShape(1, 3)));
  cuboid::Matrix<double> ones(communicator, equations), B(communicator, equations);
  A.fill_random(1);
  ones.fill([](cuboid::Global<cuboid::Row>, cuboid::Global<cuboid::Column>) { return 1.0; });
  const auto kernels = cuboid::LocalKernels::open(communicator.environment(), 1);
  cuboid::multiply(1.0, A, ones, 0.0, B, kernels.gemm);
  const auto factors = cuboid::factorise(A, kernels);
  factors.solve(B);
  const auto X = B.local();
  for (std::int64_t j = 0; j < X.columns; ++j) {
    for (std::int64_t i = 0; i < X.rows; ++i) {
      if (!(std::abs(X(i, j) - 1) < 1e-9)) std::abort();
    }
  }
}

}  // namespace

int main() {
  cuboid::run_ranks(3, [](cuboid::Communicator& communicator) {
    std::vector<double> values(1000, communicator.rank() + 1.0);
    cuboid::allreduce(communicator, values, values, cuboid::Reduction::Kind::sum);
    if (values.front() != 6.0 || values.back() != 6.0) std::abort();
    solve_equations(communicator);
  });
  std::puts("outside program: ok");
}
