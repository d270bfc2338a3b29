#pragma once

#include <cuboid/matrix.hpp>

#include "devices/memory/copy_memory.hpp"
#include "devices/memory/memory_space.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// True if this rank's part of a matrix lies in a device's memory, where the host cannot touch it.
template <MatrixElement T>
bool on_device(const Matrix<T>& matrix) {
  return matrix.local_rows() > 0 && matrix.local_columns() > 0 &&
         !memory_space_of(matrix.data()).on_host();
}

/// A matrix that the host can use: the matrix itself, or a copy of this rank's part if the part
/// lies in a device's memory. Not collective: the kind may differ between ranks.
template <MatrixElement T>
class HostMirror {
 public:
  /// Makes a mirror without the values. Throws Error(out_of_memory).
  explicit HostMirror(Matrix<T>& matrix) : matrix_(&matrix) {
    if (!on_device(matrix)) return;
    const std::int64_t rows = matrix.local_rows();
    memory_ = AlignedArray<T>(rows * matrix.local_columns(), "a copy of a matrix on a device");
    copy_.emplace(Matrix<T>::wrap(matrix.communicator(), matrix.layout(), memory_.data(), rows));
  }
  /// Makes a mirror of a matrix that is only read, with its values.
  explicit HostMirror(const Matrix<T>& matrix) : HostMirror(const_cast<Matrix<T>&>(matrix)) {
    fetch();
  }

  Matrix<T>& get() { return copy_ ? *copy_ : *matrix_; }

  /// Copies the values to the host.
  void fetch() {
    if (copy_) move(*matrix_, *copy_);
  }
  /// Copies the values back to the device.
  void give_back() {
    if (copy_) move(*copy_, *matrix_);
  }

 private:
  static void move(const Matrix<T>& from, Matrix<T>& to) {
    const auto bytes = [](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * sizeof(T);
    };
    copy_memory(from.data(), bytes(from.leading_dimension()), to.data(),
                bytes(to.leading_dimension()), bytes(from.local_rows()),
                static_cast<std::size_t>(from.local_columns()));
  }

  Matrix<T>* matrix_;
  AlignedArray<T> memory_;
  std::optional<Matrix<T>> copy_;
};

}  // namespace cuboid::detail
