#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/matrix.hpp>

#include "base/saturating.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/memory_space.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/random_element.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// The checked shape of a rank's part, without memory.
template <MatrixElement T>
LocalView<T> part_of(const Communicator& communicator, const Layout& layout,
                     std::int64_t leading_dimension) {
  const int ranks = layout.grid().last_rank() + 1;
  if (ranks > communicator.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("matrix {}: its grid needs {} ranks, the communicator has {}",
                            to_string(layout), ranks, communicator.size()));
  }
  const std::int64_t rows = layout.local_rows(communicator.rank());
  const std::int64_t columns = layout.local_columns(communicator.rank());
  const std::int64_t least = std::max<std::int64_t>(rows, 1);
  if (leading_dimension < least) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("matrix {}: leading dimension {} on rank {}: give at least {}, its "
                            "local rows",
                            to_string(layout), leading_dimension, communicator.rank(), least));
  }
  return {nullptr, rows, columns, leading_dimension};
}

template <MatrixElement T>
std::string purpose_of(const LocalView<T>& part, const Layout& layout) {
  return fmt::format("the {}x{} local part of a {} matrix ({})", part.rows, part.columns,
                     element_name<T>(), to_string(layout));
}

template <MatrixElement T>
std::size_t bytes_for(const LocalView<T>& part, const Layout& layout) {
  // An empty part has a leading dimension, too, but needs no memory.
  if (part.rows == 0 || part.columns == 0) return 0;
  const std::string purpose = purpose_of(part, layout);
  return checked_bytes(part.columns, checked_bytes(part.leading_dimension, sizeof(T), purpose),
                       purpose);
}

template <MatrixElement T>
T* memory_for(const LocalView<T>& part, const Layout& layout) {
  const std::size_t bytes = bytes_for(part, layout);
  return static_cast<T*>(allocate_aligned(bytes, purpose_of(part, layout)));
}

/// This rank's part of a block of a matrix.
template <MatrixElement T>
LocalView<T> part_of_block(const Matrix<T>& whole, T* data, const BlockRange& block) {
  const LocalView<const T> local = whole.local();
  const auto here = whole.position();
  if (!here) return {data, 0, 0, local.leading_dimension};
  const auto rows = whole.layout().rows().local_range(here->row, block.rows);
  const auto columns = whole.layout().columns().local_range(here->column, block.columns);
  if (rows.empty() || columns.empty()) {
    return {data, rows.extent(), columns.extent(), local.leading_dimension};
  }
  return LocalView<T>{data, local.rows, local.columns, local.leading_dimension}.block(
      rows.begin.value, columns.begin.value, rows.extent(), columns.extent());
}

}  // namespace

template <MatrixElement T>
Matrix<T>::Matrix(const Communicator& communicator, const Layout& layout,
                  std::int64_t leading_dimension)
    : communicator_(communicator), layout_(layout) {
  const std::int64_t just_the_rows =
      std::max<std::int64_t>(layout.local_rows(communicator.rank()), 1);
  local_ =
      part_of<T>(communicator, layout, leading_dimension == 0 ? just_the_rows : leading_dimension);
  memory_.reset(memory_for(local_, layout));
  local_.data = memory_.get();
}

template <MatrixElement T>
Matrix<T> Matrix<T>::wrap(const Communicator& communicator, const Layout& layout, T* data,
                          std::int64_t leading_dimension) {
  LocalView<T> part = part_of<T>(communicator, layout, leading_dimension);
  const bool empty = part.rows == 0 || part.columns == 0;
  const auto refuse = [&](const std::string& what) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("matrix {}: rank {}: {}", to_string(layout), communicator.rank(), what));
  };
  if (data == nullptr && !empty) refuse("the part lies nowhere: give a pointer to its memory");
  constexpr std::int64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  if (!empty && saturating_product(leading_dimension, part.columns) > most) {
    refuse(fmt::format("{} columns with a leading dimension of {}: no memory is as large",
                       part.columns, leading_dimension));
  }
  part.data = data;
  return Matrix(communicator, layout, part);
}

template <MatrixElement T>
Matrix<T> Matrix<T>::shared(const Communicator& communicator, const Layout& layout) {
  const std::int64_t rows = layout.local_rows(communicator.rank());
  LocalView<T> part = part_of<T>(communicator, layout, std::max<std::int64_t>(rows, 1));
  const std::size_t bytes = collective_try(communicator, [&] { return bytes_for(part, layout); });
  Window window(communicator, bytes);
  bool readable = true;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (!communicator.same_node(rank) || window.bytes(rank) == 0) continue;
    readable = readable && !window.direct(rank).empty();
  }
  int everywhere = readable ? 1 : 0;
  allreduce(communicator, std::span(&everywhere, 1), std::span(&everywhere, 1),
            Reduction::Kind::minimum);
  part.data = reinterpret_cast<T*>(window.local().data());  // a window's memory begins at a page
  Matrix matrix(communicator, layout, part);
  matrix.window_ = std::move(window);
  matrix.readable_on_node_ = everywhere != 0;
  return matrix;
}

template <MatrixElement T>
Matrix<T> Matrix<T>::on_device(const Communicator& communicator, const Layout& layout, int device) {
  const CudaDevice& on = CudaDevice::at(communicator.environment(), device);
  LocalView<T> part = part_of<T>(communicator, layout,
                                 std::max<std::int64_t>(layout.local_rows(communicator.rank()), 1));
  const std::size_t bytes = bytes_for(part, layout);
  std::shared_ptr<DeviceMemory> memory;
  if (bytes > 0) {
    const CudaDevice::Current current(on);
    memory = std::make_shared<DeviceMemory>(on, bytes);
    part.data = reinterpret_cast<T*>(memory->data());
  }
  Matrix matrix(communicator, layout, part);
  matrix.memory_on_device_ = std::move(memory);
  return matrix;
}

template <MatrixElement T>
std::optional<int> Matrix<T>::device() const {
  if (local_.rows == 0 || local_.columns == 0) return std::nullopt;
  const MemorySpace space = memory_space_of(local_.data);
  if (space.on_host()) return std::nullopt;
  return space.device;
}

template <MatrixElement T>
void Matrix<T>::write_part(const std::function<void(const LocalView<T>& part)>& write) {
  const HostBlock<T> on_host(local_);
  write(on_host.get());
  on_host.give_back();
}

template <MatrixElement T>
void Matrix<T>::fill_random(std::uint64_t seed) {
  fill_columns([seed](Global<Column> j) {
    return [column = RandomColumn(seed, j)](Global<Row> i) { return column.at<T>(i); };
  });
}

template <MatrixElement T>
MatrixView<T>::MatrixView(const Matrix<T>& whole, T* data, const BlockRange& block)
    : Matrix<T>(whole.communicator(), whole.layout().slice(block),
                part_of_block(whole, data, block)) {}

CUBOID_CLASS_FOR_ELEMENT_TYPES(MatrixView);

CUBOID_CLASS_FOR_ELEMENT_TYPES(Matrix);

}  // namespace cuboid
