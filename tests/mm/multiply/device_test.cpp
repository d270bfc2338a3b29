// Matrices in a device's memory. That all multiplications and factorisations run with their local
// parts on a device is tested by running other tests so: see tests/mm/CMakeLists.txt.
#include <cuboid/communicator.hpp>
#include <cuboid/multiply.hpp>

#include "mm/matrix/host_mirror.hpp"
#include "tests/devices/a_device.hpp"
#include "tests/mm/random_products.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {
namespace device_test {

/// A matrix whose part lies on the device, and the same in the host's memory.
struct OnBoth {
  OnBoth(const Communicator& communicator, const Layout& layout, std::uint64_t seed, bool moves)
      : host(communicator, layout) {
    host.fill_random(seed);
    const auto elements = static_cast<std::size_t>(host.local_rows() * host.local_columns());
    if (!moves || elements == 0) return;
    memory.emplace(std::vector<double>(host.data(), host.data() + elements));
    device.emplace(
        Matrix<double>::wrap(communicator, layout, memory->data(), host.leading_dimension()));
  }
  Matrix<double>& matrix() { return device ? *device : host; }
  std::vector<double> values() const {
    if (memory) return memory->read();
    return {host.data(), host.data() + host.local_rows() * host.local_columns()};
  }

  Matrix<double> host;
  std::optional<DeviceArray<double>> memory;
  std::optional<Matrix<double>> device;
};

TEST(DeviceMatrices, AreMultipliedLikeTheHosts) {
  const StandIn stand_in;
  stand_in.streams("late");
  for (const int ranks : {1, 2, 4}) {
    run_ranks(ranks, [&](Communicator& communicator) {
      const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
      const GridShape grid = ranks == 4 ? GridShape(2, 2) : GridShape(1, ranks);
      const std::int64_t m = 31, n = 18, k = 25;
      for (const double beta : {0.0, 2.0})
        for (const bool everywhere : {true, false}) {
          // Ranks may differ.
          const bool moves = everywhere || communicator.rank() % 2 == 0;
          OnBoth A(communicator, Layout::block(k, m, grid), 1, moves);
          OnBoth B(communicator, Layout::block(k, n, grid), 2, moves);
          OnBoth C(communicator, Layout::block(m, n, grid), 3, moves);
          EXPECT_EQ(on_device(C.matrix()), moves);
          multiply(2.0, transpose(A.matrix()), B.matrix(), beta, C.matrix(), gemm);
          const std::vector<double> there = C.values();
          Matrix<double> expected(communicator, Layout::block(m, n, grid));
          expected.fill_random(3);
          multiply(2.0, transpose(A.host), B.host, beta, expected, gemm);
          for (std::size_t i = 0; i < there.size(); ++i)
            ASSERT_NEAR(there[i], expected.data()[i], 1e-11) << i;
          multiply(0.0, transpose(A.matrix()), B.matrix(), 3.0, C.matrix(), gemm);
          const std::vector<double> scaled = C.values();
          for (std::size_t i = 0; i < there.size(); ++i) ASSERT_EQ(scaled[i], 3 * there[i]);
        }
    });
  }
}

TEST(DeviceMatrices, AreMultipliedOnTheCoresWhereCublasIsMissing) {
  const StandIn stand_in;
  Environment environment = device_environment(DeviceUse::automatic);
  environment.cublas = "/there/is/no/cublas";
  run_ranks(
      1,
      [&](Communicator& communicator) {
        const LocalGemm gemm = LocalGemm::open(environment, 1);
        const Layout layout = Layout::single(9, 9);
        OnBoth A(communicator, layout, 1, true), C(communicator, layout, 2, true);
        multiply(1.0, A.matrix(), A.matrix(), 1.0, C.matrix(), gemm);
        Matrix<double> expected(communicator, layout);
        expected.fill_random(2);
        multiply(1.0, A.host, A.host, 1.0, expected, gemm);
        const std::vector<double> found = C.values();
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], expected.data()[i], 1e-12) << i;
      },
      environment);
}

}  // namespace device_test
}  // namespace cuboid::detail
