#pragma once

#include <cuboid/matrix.hpp>

#include "devices/memory/copy_memory.hpp"
#include "devices/memory/memory_space.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// True if a block lies in a device's memory, where the host cannot touch it.
template <class T>
bool on_device(const LocalView<T>& block) {
  return block.rows > 0 && block.columns > 0 && !memory_space_of(block.data).on_host();
}
/// True if this rank's part of a matrix lies there.
template <MatrixElement T>
bool on_device(const Matrix<T>& matrix) {
  return on_device(matrix.local());
}

/// A block that the host can use: the block itself, or a copy if it lies in a device's memory.
template <MatrixElement T>
class HostBlock {
 public:
  /// Makes a block without the values. Throws Error(out_of_memory).
  explicit HostBlock(const LocalView<T>& block) : block_(block), on_host_(block) {
    if (!on_device(block)) return;
    copy_ = AlignedArray<T>(block.rows * block.columns, "a copy of a matrix on a device");
    on_host_ = {copy_.data(), block.rows, block.columns, block.rows};
  }

  const LocalView<T>& get() const { return on_host_; }
  bool is_copy() const { return on_host_.data != block_.data; }

  /// Copies the values to the host.
  void fetch() const { move(block_, on_host_); }
  /// Copies the values back to the device.
  void give_back() const { move(on_host_, block_); }

 private:
  void move(const LocalView<T>& from, const LocalView<T>& to) const {
    if (!is_copy()) return;
    const auto bytes = [](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * sizeof(T);
    };
    copy_memory(from.data, bytes(from.leading_dimension), to.data, bytes(to.leading_dimension),
                bytes(from.rows), static_cast<std::size_t>(from.columns));
  }

  LocalView<T> block_;
  AlignedArray<T> copy_;
  LocalView<T> on_host_;
};

/// A matrix that the host can use: the matrix itself, or a copy of this rank's part if the part
/// lies in a device's memory. Not collective: the kind may differ between ranks.
template <MatrixElement T>
class HostMirror {
 public:
  /// Makes a mirror without the values. Throws Error(out_of_memory).
  explicit HostMirror(Matrix<T>& matrix) : matrix_(&matrix), block_(matrix.local()) {
    if (!block_.is_copy()) return;
    const LocalView<T>& local = block_.get();
    copy_.emplace(Matrix<T>::wrap(matrix.communicator(), matrix.layout(), local.data,
                                  local.leading_dimension));
  }
  /// Makes a mirror of a matrix that is only read, with its values.
  explicit HostMirror(const Matrix<T>& matrix) : HostMirror(const_cast<Matrix<T>&>(matrix)) {
    fetch();
  }

  Matrix<T>& get() { return copy_ ? *copy_ : *matrix_; }

  /// Copies the values to the host.
  void fetch() { block_.fetch(); }
  /// Copies the values back to the device.
  void give_back() { block_.give_back(); }

 private:
  Matrix<T>* matrix_;
  HostBlock<T> block_;
  std::optional<Matrix<T>> copy_;
};

}  // namespace cuboid::detail
