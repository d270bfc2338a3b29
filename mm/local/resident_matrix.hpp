#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "mm/local/on_device.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace cuboid::detail {

/// The work of a rank in a factorisation, by which ResidentMatrix knows whether a device pays.
struct FactorisationWork {
  std::int64_t width = 0;       ///< columns of the widest panel
  double multiplications = 0;   ///< in all updates
  bool exchanges_rows = false;  ///< rows are taken and put back
};

/// A rank's local matrix while it is factorised panel by panel. What is left to factorise stays on
/// a device from the first panel to the last, if that is faster and the device's memory can hold
/// the matrix, two pairs of panels and the rows that a step exchanges. Panels and rows are fetched
/// when the host works on them. The functions name parts of the matrix, and of panels, by their
/// places in the host's memory; a part has the host's leading dimension. Functions with a
/// parameter `progress` call it while they wait.
template <MatrixElement T>
class ResidentMatrix {
 public:
  /// The matrix stays on the host.
  ResidentMatrix();
  /// Starts to copy the matrix to the device, if it goes there. The host may change columns that
  /// the device does not use in the meantime.
  ResidentMatrix(const LocalGemm& gemm, LocalView<T> host, const FactorisationWork& work);
  ~ResidentMatrix();
  ResidentMatrix(ResidentMatrix&&) noexcept;
  ResidentMatrix& operator=(ResidentMatrix&&) = delete;

  /// True if the matrix is on a device. All other functions need that.
  bool on_device() const { return state_ != nullptr; }

  /// Starts to copy a part, as the updates so far leave it, to its place in the host's memory.
  void start_fetch(LocalView<T> part);
  /// Waits until what start_fetch() has started is done.
  void finish_fetch(GemmProgress progress);

  /// Copies some rows of `part`, in ascending order, to `to`, densely; and back.
  void take_rows(LocalView<T> part, std::span<const std::int64_t> rows, LocalView<T> to,
                 GemmProgress progress);
  void put_rows(LocalView<T> part, std::span<const std::int64_t> rows, LocalView<const T> from,
                GemmProgress progress);

  /// Names the panels of the next updates, and copies `lower` to the device. Both may be
  /// overwritten after the last of these updates has been asked for.
  void start_update(LocalView<const T> lower, LocalView<const T> upper, GemmProgress progress);
  /// Copies some columns of the upper panel, which have arrived, to the device.
  void take_upper(LocalView<const T> columns, GemmProgress progress);
  /// part ← part − lower·upper, for rows of the lower and columns of the upper panel. Returns at
  /// once.
  void subtract(LocalView<const T> lower, LocalView<const T> upper, LocalView<T> part);

  /// upper ← L⁻¹·upper for the unit lower triangle L of `diagonal`, if a device is faster;
  /// otherwise returns false.
  bool solve_unit_lower(LocalView<const T> diagonal, LocalView<T> upper, GemmProgress progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuboid::detail
