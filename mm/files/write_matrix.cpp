#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/files/file_runs.hpp"
#include "mm/files/hdf5_dataset.hpp"
#include "mm/files/matrix_market.hpp"
#include "mm/files/matrix_path.hpp"
#include "mm/files/npy_header.hpp"
#include "mm/files/replacement_file.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// The most bytes that are written at once.
constexpr std::int64_t flushed_bytes = 4 << 20;

MatrixFileFormat format_for(const std::string& path) {
  const MatrixPath parts = MatrixPath::of(path);
  if (!parts.dataset.empty()) return MatrixFileFormat::hdf5;
  if (path.ends_with(".npy")) return MatrixFileFormat::npy;
  if (path.ends_with(".mtx")) return MatrixFileFormat::matrix_market;
  if (parts.is_hdf5()) return MatrixFileFormat::hdf5;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: the file name does not name a format: use .npy, .mtx, or "
                          "FILE.h5:/DATASET",
                          path));
}

/// Writes an element as its bytes in memory.
template <class T>
struct BinaryElements {
  static constexpr std::size_t bytes = sizeof(T);
  static void put(const T& value, std::byte* destination) {
    std::memcpy(destination, &value, bytes);
  }
};

/// Writes an element as a line of text.
template <class T>
struct MatrixMarketElements {
  static constexpr std::size_t bytes = matrix_market_line_bytes<T>();
  static void put(const T& value, std::byte* destination) {
    format_matrix_market_value(value, reinterpret_cast<char*>(destination));
  }
};

/// Collects elements that are contiguous in the file and writes them together.
class AdjacentWriter {
 public:
  explicit AdjacentWriter(const FileDescriptor& file) : file_(file) {
    buffer_.reserve(flushed_bytes);
  }

  /// The memory for `bytes` bytes that belong at `offset`. Fill it before the next call.
  std::byte* room(std::uint64_t offset, std::size_t bytes) {
    const bool adjacent = offset == offset_ + buffer_.size();
    if (!adjacent || buffer_.size() + bytes > flushed_bytes) flush();
    if (buffer_.empty()) offset_ = offset;
    buffer_.resize(buffer_.size() + bytes);
    return buffer_.data() + buffer_.size() - bytes;
  }
  void flush() {
    file_.write_at(buffer_, offset_);
    buffer_.clear();
  }

 private:
  const FileDescriptor& file_;
  std::vector<std::byte> buffer_;
  std::uint64_t offset_ = 0;
};

template <class Elements, class T>
void write_local_part(const FileDescriptor& file, std::uint64_t data_offset, ElementOrder order,
                      const Matrix<T>& matrix) {
  const LocalView<const T> local = matrix.local();
  const std::int64_t stride = order == ElementOrder::column_major ? 1 : local.leading_dimension;
  constexpr std::int64_t longest_run = flushed_bytes / std::int64_t{Elements::bytes};
  AdjacentWriter writer(file);
  const auto write_run = [&](const FileRun& run) {
    const T* const first = &local(run.row.value, run.column.value);
    std::byte* room =
        writer.room(data_offset + static_cast<std::uint64_t>(run.position) * Elements::bytes,
                    static_cast<std::size_t>(run.count) * Elements::bytes);
    for (std::int64_t k = 0; k < run.count; ++k, room += Elements::bytes) {
      Elements::put(first[k * stride], room);
    }
  };
  for_each_file_run(matrix.layout(), matrix.communicator().rank(), order, longest_run, write_run);
  writer.flush();
}

/// Broadcasts rank 0's text to all ranks.
std::string shared_text(const Communicator& communicator, std::string text) {
  std::uint64_t length = text.size();
  broadcast(communicator, std::span(&length, 1), 0);
  text.resize(length);
  broadcast(communicator, std::span(text), 0);
  return text;
}

/// A new version of a file that rank 0 has begun, and the place of its elements.
struct BegunFile {
  std::unique_ptr<ReplacementFile> file;
  std::uint64_t data_offset = 0;
};

BegunFile begin_after_header(const std::string& path, const std::string& header,
                             std::uint64_t bytes_of_elements) {
  BegunFile begun{std::make_unique<ReplacementFile>(path, header.size() + bytes_of_elements),
                  header.size()};
  begun.file->file().write_at(std::as_bytes(std::span(header)), 0);
  return begun;
}

/// Begins a new version with a new dataset. The old version's other datasets remain.
BegunFile begin_dataset(const MatrixPath& path, const Hdf5Description& description) {
  check_hdf5_writable(path.file, path.dataset);
  BegunFile begun{std::make_unique<ReplacementFile>(path.file, 0)};
  const std::string& temporary = begun.file->temporary_path();
  if (!begun.file->copy_old_version()) create_hdf5_file(temporary);
  begun.data_offset = create_hdf5_dataset(temporary, path.dataset, description);
  begun.file->reserve(begun.data_offset +
                      static_cast<std::uint64_t>(description.rows * description.columns) *
                          bytes_of(description.type));
  return begun;
}

template <class T>
BegunFile begin_file(const std::string& path, MatrixFileFormat format, const Matrix<T>& matrix,
                     ElementOrder order) {
  constexpr ElementType type = element_type_of<T>();
  const auto elements = static_cast<std::uint64_t>(matrix.m() * matrix.n());
  if (format == MatrixFileFormat::hdf5)
    return begin_dataset(MatrixPath::of(path), {type, matrix.m(), matrix.n()});
  if (format == MatrixFileFormat::npy)
    return begin_after_header(path,
                              format_npy_header({stored_as(type), order, matrix.m(), matrix.n()}),
                              elements * sizeof(T));
  return begin_after_header(path, format_matrix_market_header(type, matrix.m(), matrix.n()),
                            elements * matrix_market_line_bytes<T>());
}

ElementOrder order_in(MatrixFileFormat format, ElementOrder wanted) {
  switch (format) {
    case MatrixFileFormat::npy: return wanted;
    case MatrixFileFormat::matrix_market: return ElementOrder::column_major;
    case MatrixFileFormat::hdf5: break;
  }
  return ElementOrder::row_major;
}

/// Rank 0 owns the new version. If an error ends this function on rank 0, the version is removed.
template <class T>
void write_together(const std::string& path, MatrixFileFormat format, const Matrix<T>& matrix,
                    ElementOrder order) {
  const Communicator& communicator = matrix.communicator();
  const bool root = communicator.rank() == 0;
  BegunFile begun = collective_try(
      communicator, [&] { return root ? begin_file(path, format, matrix, order) : BegunFile(); });
  const std::string temporary =
      shared_text(communicator, root ? begun.file->temporary_path() : std::string());
  const RemovedIfInterrupted removed_if_interrupted(temporary);
  broadcast(communicator, std::span(&begun.data_offset, 1), 0);
  collective_try(communicator, [&] {
    const FileDescriptor file(temporary, O_WRONLY);
    if (format == MatrixFileFormat::matrix_market) {
      write_local_part<MatrixMarketElements<T>>(file, begun.data_offset, order, matrix);
    } else {
      write_local_part<BinaryElements<T>>(file, begun.data_offset, order, matrix);
    }
    file.synchronise();
  });
  collective_try(communicator, [&] {
    if (root) begun.file->commit();
  });
}

}  // namespace

template <MatrixElement T>
void write_matrix(const std::string& path, const Matrix<T>& matrix, ElementOrder order) {
  const MatrixFileFormat format = format_for(path);
  try {
    write_together(path, format, HostMirror<T>(matrix).get(), order_in(format, order));
  } catch (...) {
    if (matrix.communicator().rank() != 0)
      remove_left_behind(format == MatrixFileFormat::hdf5 ? MatrixPath::of(path).file : path);
    throw;
  }
}

void check_matrix_file_writable(const std::string& path) {
  const MatrixPath parts = MatrixPath::of(path);
  const bool in_hdf5 = format_for(path) == MatrixFileFormat::hdf5;
  check_replaceable(in_hdf5 ? parts.file : path);
  if (in_hdf5) check_hdf5_writable(parts.file, parts.dataset);
}

#define CUBOID_INSTANTIATE(T) \
  template void write_matrix(const std::string&, const Matrix<T>&, ElementOrder)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
