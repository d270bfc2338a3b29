// Matrices in a device's memory. That all multiplications and factorisations run with their local
// parts on a device is tested by running other tests so: see tests/mm/CMakeLists.txt.
#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/multiply.hpp>

#include "mm/matrix/host_mirror.hpp"
#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "tests/devices/a_device.hpp"
#include "tests/mm/local_elements.hpp"
#include "tests/mm/random_products.hpp"

#include <array>
#include <complex>
#include <functional>
#include <optional>
#include <utility>
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

/// Runs work on ranks whose matrices may lie on the device.
void on_ranks(int ranks, const std::function<void(Communicator&)>& work) {
  run_ranks(ranks, work, device_environment(DeviceUse::automatic));
}

/// A product of random matrices in layouts, all on the device or all on the host.
template <MatrixElement T>
std::vector<T> product_of(const Communicator& communicator, const ProductLayouts& layouts,
                          const MultiplyOptions& options, bool there) {
  const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
  const auto random = [&](const Layout& layout, std::uint64_t seed) {
    Matrix<T> matrix =
        there ? Matrix<T>::on_device(communicator, layout) : Matrix<T>(communicator, layout);
    matrix.fill_random(seed);
    return matrix;
  };
  const Matrix<T> A = random(layouts.A, 1), B = random(layouts.B, 2);
  Matrix<T> C = random(layouts.C, 3);
  MultiplicationPlan<T> plan(communicator, layouts, gemm, options);
  // The second run finds panels of the first.
  for (const T beta : {T(-0.5), T(2)}) plan.run(T(1.5), A, B, beta, C);
  return local_elements(C);
}

template <MatrixElement T>
void expect_the_hosts_product(const Communicator& communicator, const ProductLayouts& layouts,
                              const MultiplyOptions& options) {
  const std::vector<T> expected = product_of<T>(communicator, layouts, options, false);
  const std::vector<T> found = product_of<T>(communicator, layouts, options, true);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LT(std::abs(found[i] - expected[i]), 1e-10)
        << to_string(options.algorithm) << " on " << communicator.size() << " ranks, " << i;
}

constexpr std::array all_ops{Op::none, Op::transpose, Op::conjugate_transpose};

// Panels of one owner and of several, in place and put together, and panels that are redistributed.
TEST(DeviceMatrices, TravelInPanelsOfSumma) {
  const StandIn stand_in;
  stand_in.streams("late");
  for (const int ranks : {1, 2, 3, 4, 6}) {
    on_ranks(ranks, [&](Communicator& communicator) {
      const GridShape grid = ranks % 2 == 0 ? GridShape(2, ranks / 2) : GridShape(1, ranks);
      const std::int64_t m = 14, n = 9, k = 23;
      for (const Op op_a : all_ops) {
        for (const Op op_b : all_ops) {
          for (const std::int64_t block : {2, 5, 23}) {
            const auto layout = [&](std::int64_t rows, std::int64_t columns) {
              return Layout::block_cyclic(rows, columns, block, block, grid);
            };
            const ProductLayouts layouts{op_a == Op::none ? layout(m, k) : layout(k, m), op_a,
                                         op_b == Op::none ? layout(k, n) : layout(n, k), op_b,
                                         layout(m, n)};
            MultiplyOptions options{.algorithm = MultiplicationAlgorithm::summa, .grid = grid};
            options.panel_width = 7;
            expect_the_hosts_product<std::complex<double>>(communicator, layouts, options);
          }
        }
      }
    });
  }
}

// Faces are gathered, conjugated, transposed and summed by layers.
TEST(DeviceMatrices, TravelInFacesOfBricks) {
  const StandIn stand_in;
  stand_in.streams("late");
  for (const std::array<int, 3> bricks :
       {std::array{2, 2, 1}, std::array{1, 3, 1}, std::array{2, 1, 2}, std::array{1, 1, 3},
        std::array{3, 1, 2}}) {
    on_ranks(bricks[0] * bricks[1] * bricks[2], [&](Communicator& communicator) {
      const ProductSize size{13, 17, 11};
      for (const Op op_a : all_ops) {
        for (const Op op_b : all_ops) {
          for (const int rounds : {1, 2}) {
            MultiplyOptions options{.algorithm = MultiplicationAlgorithm::cosma, .bricks = bricks};
            options.rounds = rounds;
            const PlanRequest request =
                plan_request(size, sizeof(std::complex<double>), communicator.size(), options);
            const PlanCandidate plan = candidates_for(request, Rates(), options).front();
            const ProductLayouts layouts = required_layouts(size, op_a, op_b, plan);
            expect_the_hosts_product<std::complex<double>>(communicator, layouts, options);
          }
        }
      }
    });
  }
}

// With other algorithms, and where layouts do not fit, matrices are copied to the host.
TEST(DeviceMatrices, AreMultipliedByEveryAlgorithm) {
  const StandIn stand_in;
  stand_in.streams("late");
  for (const int ranks : {1, 4, 5}) {
    on_ranks(ranks, [&](Communicator& communicator) {
      const GridShape grid = GridShape(1, ranks);
      const ProductLayouts layouts{Layout::block_cyclic(14, 23, 3, 4, grid), Op::none,
                                   Layout::block_cyclic(23, 9, 2, 2, grid), Op::none,
                                   Layout::block_cyclic(14, 9, 5, 5, grid)};
      for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
        if (algorithm == MultiplicationAlgorithm::cannon && ranks == 5) continue;
        expect_the_hosts_product<double>(communicator, layouts, {.algorithm = algorithm});
      }
    });
  }
}

// Matrices that lie as the algorithm wants them never come to the host.
TEST(DeviceMatrices, StayOnTheDevice) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in, which counts bytes";
  const StandIn stand_in;
  for (const int ranks : {1, 2, 4}) {
    on_ranks(ranks, [&](Communicator& communicator) {
      const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
      const GridShape grid = ranks == 4 ? GridShape(2, 2) : GridShape(1, ranks);
      const auto random = [&](std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
        auto matrix = Matrix<double>::on_device(communicator, Layout::block(rows, columns, grid));
        matrix.fill_random(seed);
        return matrix;
      };
      const Matrix<double> A = random(40, 32, 1), B = random(32, 36, 2);
      Matrix<double> C = random(40, 36, 3);
      multiply(1.0, A, B, 1.0, C, gemm);  // measures rates
      for (const auto algorithm :
           {MultiplicationAlgorithm::automatic, MultiplicationAlgorithm::summa}) {
        barrier(communicator);
        const auto before = stand_in.counts();
        barrier(communicator);
        multiply(1.0, A, B, 1.0, C, gemm, {.algorithm = algorithm});
        barrier(communicator);
        const auto after = stand_in.counts();
        barrier(communicator);
        EXPECT_EQ(after.bytes_up, before.bytes_up) << to_string(algorithm);
        EXPECT_EQ(after.bytes_down, before.bytes_down) << to_string(algorithm);
        EXPECT_EQ(after.multiplications - before.multiplications, 40 * 32 * 36);
      }
    });
  }
}

// Options that only other algorithms accept are kept.
TEST(DeviceMatrices, AreMultipliedInLayers) {
  const StandIn stand_in;
  on_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
    const Layout layout = Layout::block(24, 24, GridShape(2, 2));
    auto A = Matrix<double>::on_device(communicator, layout);
    auto C = Matrix<double>::on_device(communicator, layout);
    A.fill_random(1);
    const Report report = multiply(1.0, A, A, 0.0, C, gemm, {.layers = 2});
    EXPECT_EQ(report.algorithm, "2.5d");
    Matrix<double> on_host(communicator, layout), expected(communicator, layout);
    on_host.fill_random(1);
    multiply(1.0, on_host, on_host, 0.0, expected, gemm, {.layers = 2});
    const std::vector<double> found = local_elements(C), right = local_elements(expected);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], right[i], 1e-11) << i;
  });
}

// A plan serves matrices on the host and on the device in turns, on each rank in its own order.
TEST(DeviceMatrices, MayChangePlaceBetweenRuns) {
  const StandIn stand_in;
  stand_in.streams("late");
  on_ranks(4, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
    const Layout layout = Layout::block(20, 20, GridShape(2, 2));
    Matrix<double> A(communicator, layout), expected(communicator, layout);
    Matrix<double> C(communicator, layout);
    A.fill_random(1);
    auto A_there = Matrix<double>::on_device(communicator, layout);
    auto C_there = Matrix<double>::on_device(communicator, layout);
    A_there.fill_random(1);
    for (const auto algorithm : {MultiplicationAlgorithm::summa, MultiplicationAlgorithm::cosma}) {
      MultiplicationPlan<double> plan(communicator, {layout, Op::none, layout, Op::none, layout},
                                      gemm, {.algorithm = algorithm});
      plan.run(1.0, A, A, 0.0, expected);
      for (int run = 0; run < 4; ++run) {
        const bool there = (run + communicator.rank()) % 3 != 0;
        Matrix<double>& product = there ? C_there : C;
        plan.run(1.0, there ? A_there : A, there ? A_there : A, 0.0, product);
        const std::vector<double> found = local_elements(product), right = local_elements(expected);
        for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], right[i], 1e-11) << i;
      }
    }
  });
}

TEST(DeviceMatrices, AreCopiedToTheHostWhereTheDeviceHasNoMemoryForPanels) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in, whose memory can be small";
  const StandIn stand_in;
  on_ranks(2, [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(device_environment(DeviceUse::automatic), 1);
    const Layout layout = Layout::block(64, 64, GridShape(1, 2));
    const auto random = [&](std::uint64_t seed) {
      auto matrix = Matrix<double>::on_device(communicator, layout);
      matrix.fill_random(seed);
      return matrix;
    };
    const Matrix<double> A = random(1), B = random(2);
    Matrix<double> C = random(3);
    const ProductLayouts layouts{layout, Op::none, layout, Op::none, layout};
    const MultiplyOptions options{.algorithm = MultiplicationAlgorithm::summa};
    MultiplicationPlan<double> plan(communicator, layouts, gemm, options);
    barrier(communicator);
    if (communicator.rank() == 0) stand_in.fail("cuMemAlloc_v2", 0, 2);
    barrier(communicator);
    plan.run(1.5, A, B, -0.5, C);
    barrier(communicator);
    if (communicator.rank() == 0) stand_in.recover();
    barrier(communicator);
    plan.run(1.5, A, B, 2.0, C);
    const std::vector<double> found = local_elements(C);
    const std::vector<double> expected = product_of<double>(communicator, layouts, options, false);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-10) << i;
  });
}

}  // namespace device_test
}  // namespace cuboid::detail
