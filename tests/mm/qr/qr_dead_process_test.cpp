// A process that is killed in the midst of a QR factorisation: the others end with an error that
// names it, before the deadline.

#include <cuboid/qr.hpp>

#include "tests/mm/killed_at_work.hpp"

#include <ostream>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace qr_dead_process_test {

struct DyingQr {
  const char* name;
  GridShape grid;
  int victim;
  friend void PrintTo(const DyingQr& dying, std::ostream* out) { *out << dying.name; }
};

class QrDeadProcess : public testing::TestWithParam<DyingQr> {};

TEST_P(QrDeadProcess, IsNamedByEverySurvivor) {
  const DyingQr& dying = GetParam();
  const QrOptions options{.grid = dying.grid, .block = 16};
  const auto factorise = [&](Communicator& c, const Repeat& repeat) {
    const LocalKernels kernels = LocalKernels::open(c.environment(), 1);
    Matrix<double> A(c, Layout::block_cyclic(600, 300, 16, 16, GridShape(c.size(), 1)));
    A.fill_random(1);
    repeat([&] { qr(A, kernels, options); });
  };
  expect_survivors_to_name(dying.victim, dying.grid.size(), factorise);
}

INSTANTIATE_TEST_SUITE_P(Qr, QrDeadProcess,
                         testing::Values(DyingQr{"tree", GridShape(3, 1), 1},
                                         DyingQr{"grid", GridShape(2, 2), 3}));

}  // namespace qr_dead_process_test
}  // namespace cuboid::detail
