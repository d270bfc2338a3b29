// What a user of the library writes first: ranks, a collective, a check.

#include <cuboid/allreduce.hpp>
#include <cuboid/run_ranks.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
  cuboid::run_ranks(3, [](cuboid::Communicator& communicator) {
    std::vector<double> values(1000, communicator.rank() + 1.0);
    cuboid::allreduce(communicator, values, values, cuboid::Reduction::Kind::sum);
    if (values.front() != 6.0 || values.back() != 6.0) std::abort();
  });
  std::puts("outside program: ok");
}
