#pragma once

#include <cuboid/element.hpp>
#include <cuboid/matrix.hpp>

#include "mm/files/file_runs.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// Converts an element of type F of a file to an element of type T in memory.
template <class T, class F>
T converted(F value) {
  if constexpr (is_complex<F>) {
    return T(static_cast<RealOf<T>>(value.real()), static_cast<RealOf<T>>(value.imag()));
  } else {
    return T(static_cast<RealOf<T>>(value));
  }
}

/// Collects runs that are near each other, reads them together and copies them to their places.
template <class F, class T, class ReadElements>
class RunReader {
  /// The most bytes that are read at once, which is also the memory that reading needs.
  static constexpr std::int64_t buffer_bytes = 4 << 20;
  /// Two runs may have a gap of elements of other ranks between them. Gaps up to this number of
  /// bytes are read rather than skipped: reading them takes no longer than another system call.
  static constexpr std::int64_t worthwhile_gap_bytes = 16 << 10;

 public:
  RunReader(ElementOrder order, LocalView<T> local, const ReadElements& read)
      : read_(read),
        local_(local),
        stride_(order == ElementOrder::column_major ? 1 : local.leading_dimension) {}

  static constexpr std::int64_t longest_run = buffer_bytes / static_cast<std::int64_t>(sizeof(F));

  void add(const FileRun& run) {
    const bool near = run.position - end_ <= worthwhile_gap_bytes / std::int64_t{sizeof(F)};
    const bool room = run.position + run.count - begin() <= longest_run;
    if (!near || !room) flush();
    runs_.push_back(run);
    end_ = run.position + run.count;
  }

  void flush() {
    if (runs_.empty()) return;
    const std::int64_t first = begin();
    buffer_.resize(static_cast<std::size_t>(end_ - first));
    read_(std::span(buffer_), first);
    for (const FileRun& run : runs_) put(run, buffer_.data() + (run.position - first));
    runs_.clear();
  }

 private:
  std::int64_t begin() const { return runs_.empty() ? end_ : runs_.front().position; }

  void put(const FileRun& run, const F* elements) const {
    T* const destination = &local_(run.row.value, run.column.value);
    if constexpr (std::is_same_v<F, T>) {
      if (stride_ == 1) {
        std::memcpy(destination, elements, static_cast<std::size_t>(run.count) * sizeof(T));
        return;
      }
    }
    for (std::int64_t k = 0; k < run.count; ++k) {
      destination[k * stride_] = converted<T>(elements[k]);
    }
  }

  const ReadElements& read_;
  LocalView<T> local_;
  std::int64_t stride_;  ///< distance in local memory from one element of a run to the next
  std::vector<F> buffer_;
  std::vector<FileRun> runs_;
  std::int64_t end_ = 0;
};

/// Fills this rank's part of a matrix from a file of elements of type F. `read` is the function
/// that RunReader needs.
template <class F, class T, class ReadElements>
void read_runs(ElementOrder order, Matrix<T>& matrix, const ReadElements& read) {
  if constexpr (fits(element_type_of<F>(), element_type_of<T>())) {
    using Reader = RunReader<F, T, ReadElements>;
    Reader reader(order, matrix.local(), read);
    for_each_file_run(matrix.layout(), matrix.communicator().rank(), order, Reader::longest_run,
                      [&](const FileRun& run) { reader.add(run); });
    reader.flush();
  }
}

}  // namespace cuboid::detail
