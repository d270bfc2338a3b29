// The largest eigenvalue of a symmetric matrix by power iteration, in C++: each rank has some rows.
// mpirun -n 4 power_iteration_cpp, or without a launcher: four threads.
#include <cuboid/cuboid.hpp>
#include <cuboid/mpi.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace {

constexpr int n = 240;
constexpr int steps = 200;

void iterate(const cuboid::Communicator& ranks) {
  const int rows = n / ranks.size();  // of n a multiple of the number of ranks
  std::vector<double> x(n, 1.0);
  std::vector<double> y(static_cast<std::size_t>(rows));
  // Made once, run in every step: this allocates nothing.
  auto gather = cuboid::plan_allgather(ranks, y, x);
  double eigenvalue = 0;
  for (int step = 0; step < steps; ++step) {
    double square = 0;
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += x[static_cast<std::size_t>(j)] / (1 + std::abs(ranks.rank() * rows + i - j));
      y[static_cast<std::size_t>(i)] = sum;
      square += sum * sum;
    }
    const cuboid::Buffer sum_of_squares(&square, 1, cuboid::datatype_of<double>());
    cuboid::allreduce(ranks, sum_of_squares, sum_of_squares, cuboid::Reduction::Kind::sum);
    eigenvalue = std::sqrt(square);
    for (double& element : y) element /= eigenvalue;
    gather.run();
  }
  if (ranks.rank() == 0) std::printf("largest eigenvalue %.9f\n", eigenvalue);
}

}  // namespace

int main() try {
  if (cuboid::MpiSession::launched()) {
    const cuboid::MpiSession mpi;
    iterate(cuboid::Communicator(cuboid::mpi_bootstrap(MPI_COMM_WORLD)));
  } else {
    cuboid::run_ranks(4, iterate);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
