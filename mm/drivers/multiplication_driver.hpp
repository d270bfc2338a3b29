#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/drivers/multiplication.hpp"
#include "mm/drivers/redistributed_operands.hpp"
#include "mm/matrix/local_copy.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

/// The operands of one run of a driver: C ← α·op_a(A)·op_b(B) + β·C, in layouts that the driver can
/// use.
template <MatrixElement T>
struct DriverInput {
  T alpha;
  const Matrix<T>& A;
  Op op_a;
  const Matrix<T>& B;
  Op op_b;
  T beta;
  Matrix<T>& C;
};

/// A multiplication on the first ranks of a communicator. It handles everything except the
/// algorithm's own loop: empty products, matrices in other layouts, idle ranks.
template <MatrixElement T>
class MultiplicationDriver : public Multiplication<T> {
 public:
  bool keep_panels_at(const PanelPlace& place) final {
    if (place == place_) return true;
    // Redistributed copies are on the host.
    if (place.on_device() && own_.has_copies()) return false;
    if (!make_panels_at(place)) return false;
    place_ = place;
    return true;
  }

  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) final {
    PhaseSeconds seconds;
    const auto& [m, n, k] = size_;
    if (alpha == T(0) || m == 0 || n == 0 || k == 0) {
      scale(beta, C.local());
      return seconds;
    }
    get_ready(own_.a(A), own_.b(B));
    idle_ranks_.run([&] {
      own_.load(A, B, beta, C, seconds.distribute);
      multiply({alpha, own_.a(A), own_.op_a(), own_.b(B), own_.op_b(), beta, own_.c(C)}, gemm,
               seconds);
    });
    own_.store(C, seconds.distribute);
    return seconds;
  }

 protected:
  /// Collective over `communicator`, the communicator of the matrices. Ranks 0 … workers − 1 are on
  /// the grid. Throws Error(invalid_argument) if the communicator has fewer ranks.
  MultiplicationDriver(const Communicator& communicator, int workers, const ProductLayouts& product,
                       OwnOperands operands)
      : size_(product.size()),
        idle_ranks_(communicator, require_ranks(communicator, workers)),
        own_(product, operands) {}

  /// The algorithm's loop. Called on all ranks; ranks outside the grid return as soon as the other
  /// ranks do not need them any more. Adds the time that it takes to `seconds`.
  virtual void multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                        PhaseSeconds& seconds) = 0;
  /// Makes this rank's panels anew at a place. See keep_panels_at().
  virtual bool make_panels_at(const PanelPlace& place) { return !place.on_device(); }
  /// The place of this rank's panels.
  const PanelPlace& panel_place() const { return place_; }

  /// Prepares for the matrices that multiply() will get. Collective.
  virtual void get_ready(const Matrix<T>&, const Matrix<T>&) {}

  /// The redistributed copies, which the driver makes.
  RedistributedOperands<T>& own() { return own_; }

 private:
  static int require_ranks(const Communicator& communicator, int workers) {
    if (workers <= communicator.size()) return workers;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("multiply: the grid needs {} ranks, there are {}: give a smaller grid "
                            "or more ranks",
                            workers, communicator.size()));
  }

  ProductSize size_;
  IdleRanks idle_ranks_;
  RedistributedOperands<T> own_;
  PanelPlace place_;
};

}  // namespace cuboid::detail
