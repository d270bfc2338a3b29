// Everything that takes a matrix takes one whose part lies in a device's memory, and gives what it
// gives on the host. Ranks may differ.
#include <cuboid/communicator.hpp>
#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/irregular_layout.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/mixed_precision.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/qr.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/triangular_products.hpp>
#include <cuboid/verify.hpp>

#include "tests/devices/a_device.hpp"
#include "tests/mm/local_elements.hpp"

#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {
namespace device_matrices_test {

enum class Where { host, device, both };

/// A matrix whose part lies in the host's memory or on the device; on even ranks alone for `both`.
template <MatrixElement T>
Matrix<T> matrix_at(Where where, const Communicator& communicator, const Layout& layout) {
  const bool moves =
      where == Where::device || (where == Where::both && communicator.rank() % 2 == 0);
  return moves ? Matrix<T>::on_device(communicator, layout) : Matrix<T>(communicator, layout);
}

/// Makes matrices in one kind of memory.
template <MatrixElement T>
struct Maker {
  const Communicator& communicator;
  Where where;

  Matrix<T> random(const Layout& layout, std::uint64_t seed) const {
    Matrix<T> matrix = matrix_at<T>(where, communicator, layout);
    matrix.fill_random(seed);
    return matrix;
  }
  Matrix<T> empty(const Layout& layout) const { return matrix_at<T>(where, communicator, layout); }
};

template <MatrixElement T>
using Work = std::function<std::vector<T>(const Maker<T>&)>;

/// Runs the work on 1, 2 and 4 ranks with all kinds of memory, and compares with the host's memory.
template <MatrixElement T>
void expect_as_on_the_host(const Work<T>& work) {
  const StandIn stand_in;
  stand_in.streams("late");
  for (const int ranks : {1, 2, 4}) {
    run_ranks(
        ranks,
        [&](Communicator& communicator) {
          const std::vector<T> expected = work({communicator, Where::host});
          for (const Where where : {Where::device, Where::both}) {
            const std::vector<T> found = work({communicator, where});
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i)
              ASSERT_LT(std::abs(found[i] - expected[i]), 1e-10)
                  << ranks << " ranks, element " << i;
          }
        },
        device_environment(DeviceUse::never));
  }
}

Layout blocks(const Communicator& communicator, std::int64_t m, std::int64_t n,
              std::int64_t block = 5) {
  const int ranks = communicator.size();
  const GridShape grid = ranks == 4 ? GridShape(2, 2) : GridShape(1, ranks);
  return Layout::block_cyclic(m, n, block, block + 1, grid);
}

template <class... More>
std::vector<double> joined(std::vector<double> all, const More&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

TEST(DeviceMatrix, IsFilled) {
  expect_as_on_the_host<std::complex<double>>([](const Maker<std::complex<double>>& make) {
    Matrix<std::complex<double>> A = make.random(blocks(make.communicator, 23, 17), 1);
    auto elements = local_elements(A);
    A.fill([](Global<Row> i, Global<Column> j) {
      return std::complex<double>(static_cast<double>(i.value), static_cast<double>(j.value));
    });
    const auto more = local_elements(A);
    elements.insert(elements.end(), more.begin(), more.end());
    return elements;
  });
}

TEST(DeviceMatrix, IsRedistributed) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const Matrix<double> A = make.random(blocks(make.communicator, 23, 17), 1);
    Matrix<double> B = make.random(blocks(make.communicator, 17, 23, 3), 2);
    redistribute<double>(2.0, {Op::transpose, A}, 0.5, B);
    // A view of a view's layout, and a sum that reads no source.
    Matrix<double> C = make.random(blocks(make.communicator, 30, 30, 4), 3);
    redistribute(Op::none, A, view(C, Global<Row>(3), Global<Column>(7), 23, 17));
    Matrix<double> D = make.random(blocks(make.communicator, 23, 17, 2), 4);
    redistribute<double>(0.0, A, 3.0, D);
    const std::vector<int> last{make.communicator.size() - 1};
    IrregularMatrix<double> E(make.communicator, IrregularLayout::replicated(23, 17, last));
    redistribute<double>(1.0, A, 0.0, E);
    std::vector<double> of_e;
    for (const LocalView<double>& block : E.blocks())
      of_e.insert(of_e.end(), block.data, block.data + block.rows * block.columns);
    return joined(local_elements(B), local_elements(C), local_elements(D), of_e);
  });
}

TEST(DeviceMatrix, IsMultipliedInParts) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const LocalGemm gemm = LocalGemm::open(make.communicator, 1);
    const Matrix<double> A = make.random(blocks(make.communicator, 30, 30), 1);
    const Matrix<double> B = make.random(blocks(make.communicator, 24, 24, 4), 2);
    Matrix<double> C = make.random(blocks(make.communicator, 40, 40, 7), 3);
    MatrixView<double> part = view(C, Global<Row>(9), Global<Column>(1), 24, 24);
    multiply(2.0, view(A, Global<Row>(2), Global<Column>(5), 24, 24), transpose(B), 1.0, part,
             gemm);
    return local_elements(C);
  });
}

TEST(DeviceMatrix, IsAFactorOfTriangularProducts) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const LocalGemm gemm = LocalGemm::open(make.communicator, 1);
    const LocalKernels kernels = LocalKernels::open(make.communicator.environment(), 1);
    const std::int64_t n = 22;
    const Layout square = blocks(make.communicator, n, n), tall = blocks(make.communicator, n, 13);
    const Matrix<double> A = make.random(tall, 1), B = make.random(tall, 2);
    Matrix<double> S = make.random(square, 3), R = make.random(square, 4);
    syrk(Triangle::lower, Op::none, 2.0, A, 0.5, S, gemm);
    syr2k(Triangle::upper, Op::none, 1.0, A, B, 0.0, R, gemm);
    Matrix<double> C = make.random(tall, 5), D = make.random(tall, 6);
    symm(MatrixSide::left, Triangle::lower, 1.0, S, A, 2.0, C, gemm);
    trmm(MatrixSide::left, Triangle::upper, Op::transpose, Diagonal::unit, 1.0, R, D, gemm);
    Matrix<double> L = make.random(square, 7), X = make.random(tall, 8);
    laset<double>(std::nullopt, 0.1, 4.0, L);
    trsm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::stored, 2.0, L, X, kernels);
    Matrix<double> Y = make.random(blocks(make.communicator, 13, n), 9);
    trsm(MatrixSide::right, Triangle::upper, Op::transpose, Diagonal::stored, 1.0, L, Y, kernels);
    lascl<double>(Triangle::lower, 2.0, 3.0, L);
    lacpy(Triangle::upper, L, S);
    trtri(Triangle::lower, Diagonal::stored, L, kernels);
    return joined(local_elements(S), local_elements(R), local_elements(C), local_elements(D),
                  local_elements(L), local_elements(X), local_elements(Y));
  });
}

TEST(DeviceMatrix, IsFactorisedAndSolvedWith) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const LocalKernels kernels = LocalKernels::open(make.communicator.environment(), 1);
    const std::int64_t n = 24;
    const FactoriseOptions options{.block = 4};
    const Layout square = blocks(make.communicator, n, n), right = blocks(make.communicator, n, 3);
    Matrix<double> A = make.random(square, 1);
    for (const bool hermitian : {false, true}) {
      if (hermitian) {
        A.fill([](Global<Row> i, Global<Column> j) { return i.value == j.value ? 9.0 : 0.25; });
      }
      const auto factors =
          hermitian ? cholesky(A, kernels, options) : factorise(A, kernels, options);
      const Matrix<double> B = make.random(right, 2);
      Matrix<double> X = make.empty(right), inverse = make.empty(square),
                     LU = make.random(square, 3);
      redistribute(Op::none, B, X);
      factors.solve(X);
      refine(factors, A, B, X, 1, kernels);
      factors.inverse(inverse);
      factors.copy_to(LU, Triangle::lower);
      Matrix<double> mixed = make.empty(right);
      redistribute(Op::none, B, mixed);
      solve_mixed(A, mixed, kernels);
      const auto all = joined(local_elements(X), local_elements(inverse), local_elements(LU),
                              local_elements(mixed), std::vector<double>{factors.one_norm()});
      if (hermitian) return all;
    }
    return std::vector<double>();
  });
}

TEST(DeviceMatrix, HasAQrFactorisation) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const LocalKernels kernels = LocalKernels::open(make.communicator.environment(), 1);
    const Layout tall = blocks(make.communicator, 40, 12);
    const Matrix<double> A = make.random(tall, 1),
                         B = make.random(blocks(make.communicator, 40, 2), 2);
    const auto factors = qr(A, kernels);
    Matrix<double> R = make.empty(blocks(make.communicator, 12, 12)), Q = make.empty(tall);
    Matrix<double> C = make.random(tall, 3), packed = make.empty(tall);
    Matrix<double> X = make.empty(blocks(make.communicator, 12, 2));
    factors.copy_r_to(R);
    factors.copy_q_to(Q);
    factors.copy_to(packed);
    factors.apply_q(Op::transpose, MatrixSide::left, C);
    least_squares(A, B, X, kernels);
    return joined(local_elements(R), local_elements(Q), local_elements(C), local_elements(packed),
                  local_elements(X));
  });
}

TEST(DeviceMatrix, IsMeasuredAndChecked) {
  expect_as_on_the_host<double>([](const Maker<double>& make) {
    const LocalGemm gemm = LocalGemm::open(make.communicator, 1);
    const Layout layout = blocks(make.communicator, 20, 20);
    const Matrix<double> A = make.random(layout, 1), B = make.random(layout, 2);
    Matrix<double> C = make.random(layout, 3);
    const FreivaldsCheck<double> sampled(2.0, A, B, 1.0, C);
    const ReferenceCheck<double> whole(2.0, A, B, 1.0, C, gemm);
    multiply(2.0, A, B, 1.0, C, gemm);
    EXPECT_TRUE(sampled.verdict(C).holds());
    EXPECT_TRUE(whole.verdict(C).holds());
    std::vector<double> norms;
    for (const Norm kind : {Norm::one, Norm::infinity, Norm::frobenius, Norm::maximum})
      norms.push_back(norm(kind, C));
    lascl<double>(std::nullopt, 1.0, 1.5, C);
    EXPECT_FALSE(sampled.verdict(C).holds());
    EXPECT_FALSE(whole.verdict(C).holds());
    return norms;
  });
}

TEST(DeviceMatrix, IsWrittenToAndReadFromFiles) {
  const std::string folder = (std::filesystem::temp_directory_path() /
                              ("cuboid_device_matrix_" + std::to_string(::getpid())))
                                 .string();
  std::filesystem::create_directory(folder);
  expect_as_on_the_host<double>([&](const Maker<double>& make) {
    std::vector<double> all;
    for (const char* const name : {"/A.npy", "/A.mtx"}) {
      const Matrix<double> A = make.random(blocks(make.communicator, 23, 17), 1);
      write_matrix(folder + name, A);
      Matrix<double> B = make.empty(blocks(make.communicator, 23, 17, 3));
      read_matrix(folder + name, B);
      all = joined(all, local_elements(B));
    }
    return all;
  });
  std::filesystem::remove_all(folder);
}

TEST(DeviceMatrix, NeedsADeviceAndItsMemory) {
  const StandIn stand_in;
  run_ranks(
      1,
      [](Communicator& communicator) {
        const auto code_of = [&](const Layout& layout, int device) {
          try {
            Matrix<double>::on_device(communicator, layout, device);
          } catch (const Error& error) {
            return error.code();
          }
          return ErrorCode::internal;
        };
        EXPECT_EQ(code_of(Layout::single(3, 3), 77), ErrorCode::invalid_argument);
        EXPECT_EQ(code_of(Layout::single(std::int64_t{1} << 30, 1000), 0),
                  ErrorCode::out_of_memory);
        const auto none = Matrix<double>::on_device(communicator, Layout::single(0, 5));
        EXPECT_EQ(none.data(), nullptr);
      },
      device_environment(DeviceUse::never));
}

}  // namespace device_matrices_test
}  // namespace cuboid::detail
