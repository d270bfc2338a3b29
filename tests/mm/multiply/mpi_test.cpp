// Multiplications between processes started by mpirun, over each transport.
#include <cuboid/mpi.hpp>

#include "tests/mm/multiply/any_multiplication.hpp"

#include <cstdint>

namespace cuboid::detail {
namespace {

TEST(MultiplyUnderMpirun, agrees_with_sums_written_out) {
  const Communicator world(mpi_bootstrap(MPI_COMM_WORLD));
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    test::for_every_type_and_op(world, seed, []<class T>(auto&&... arguments) {
      test::multiply_drawn_case<T>(arguments...);
    });
  }
}

}  // namespace
}  // namespace cuboid::detail

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const cuboid::MpiSession session;
  return RUN_ALL_TESTS();
}
