#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/files/gzip_reader.hpp"
#include "mm/files/hdf5_dataset.hpp"
#include "mm/files/in_file.hpp"
#include "mm/files/matrix_market_file.hpp"
#include "mm/files/matrix_path.hpp"
#include "mm/files/npy_file.hpp"
#include "mm/files/run_reader.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

std::string beginning_of_gzip(const FileDescriptor& file) {
  GzipReader reader(file);
  std::string text(16, ' ');
  return in_file([&] { return file.path(); },
                 [&] {
                   text.resize(reader.read(std::as_writable_bytes(std::span(text))));
                   return text;
                 });
}

/// The remedy for a file that begins with this text.
std::string_view remedy_for(std::string_view beginning) {
  if (beginning.starts_with("MATLAB 5.0 MAT"))
    return "it is of MATLAB before 7.3: save it there with save(file, '-v7.3')";
  if (beginning.starts_with("CDF"))
    return "it is NetCDF of before version 4: convert it with nccopy -k nc4";
  if (beginning.starts_with("PK"))
    return "it is a .zip or .npz: save one array of it with numpy.save";
  return "it begins with neither \\x93NUMPY nor %%MatrixMarket nor \\x89HDF";
}

MatrixFileFormat recognised_format(const MatrixPath& path) {
  const auto other = path.dataset.empty() ? file_before_colon(path.file) : std::nullopt;
  if (other && !std::filesystem::exists(path.file)) {
    recognised_format({*other});  // throws if that file is of no known kind, with the remedy
    throw Error(ErrorCode::parse, fmt::format("{}: {} is not an HDF5 file, so it has no datasets: "
                                              "leave out what follows the colon",
                                              path.file, *other));
  }
  const FileDescriptor file(path.file, O_RDONLY);
  file.size();  // throws for folders, pipes and the like
  std::array<std::byte, 16> beginning{};
  const auto bytes = std::span(beginning).first(file.read_some_at(beginning, 0));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!path.dataset.empty() || is_hdf5_file(path.file)) return MatrixFileFormat::hdf5;
  if (is_npy(bytes)) return MatrixFileFormat::npy;
  if (is_matrix_market(text)) return MatrixFileFormat::matrix_market;
  if (is_gzip(text)) {
    if (is_matrix_market(beginning_of_gzip(file))) return MatrixFileFormat::matrix_market;
    throw Error(ErrorCode::parse,
                fmt::format("{}: compressed by gzip, which only Matrix Market files may be: "
                            "decompress it with gunzip",
                            path.file));
  }
  throw Error(ErrorCode::parse,
              fmt::format("{}: neither a .npy, nor a Matrix Market, nor an HDF5 file: {}",
                          path.file, remedy_for(text)));
}

void check_request(const std::string& path, const MatrixFileDescription& file, const Layout& layout,
                   ElementType wanted) {
  if (file.rows != layout.m() || file.columns != layout.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: holds a {} x {} matrix, the layout is for {} x {}", path,
                            file.rows, file.columns, layout.m(), layout.n()));
  }
  // The text of a Matrix Market file may be read at any precision.
  const ElementType least = file.format != MatrixFileFormat::matrix_market ? file.type
                            : file.type == ElementType::complex128         ? ElementType::complex64
                                                                           : ElementType::float32;
  if (!fits(least, wanted)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: holds {} elements, which {} cannot hold without loss; use type {}", path,
                    to_string(file.type), to_string(wanted), letter(common_type(least, wanted))));
  }
}

}  // namespace

MatrixFileDescription describe_matrix_file(const std::string& path) {
  MatrixFileDescription description;
  const MatrixPath parts = MatrixPath::of(path);
  description.format = recognised_format(parts);
  const auto take = [&](ElementType type, const auto& header) {
    description.type = type;
    description.rows = header.rows;
    description.columns = header.columns;
  };
  switch (description.format) {
    case MatrixFileFormat::npy: {
      const NpyHeader header = open_npy(path).header;
      take(header.type(), header);
      break;
    }
    case MatrixFileFormat::matrix_market: {
      const MatrixMarketHeader header = read_matrix_market_header(path);
      take(header.type(), header);
      break;
    }
    case MatrixFileFormat::hdf5: {
      const Hdf5Description header = Hdf5Dataset(parts.file, parts.dataset).description();
      take(header.type, header);
      break;
    }
  }
  return description;
}

namespace {

/// Reads this rank's part of a dataset.
template <MatrixElement T>
void read_dataset_part(const MatrixPath& path, Matrix<T>& matrix) {
  const Hdf5Dataset dataset(path.file, path.dataset);
  with_element_type(dataset.description().type, [&]<class F>() {
    read_runs<F>(ElementOrder::row_major, matrix, [&](std::span<F> elements, std::int64_t first) {
      dataset.read(std::as_writable_bytes(elements), first);
    });
  });
}

/// Reads the elements that this rank owns. Does not communicate.
template <MatrixElement T>
void read_part(const std::string& path, const MatrixFileDescription& description, Matrix<T>& matrix,
               const MatrixFileOptions& options) {
  switch (description.format) {
    case MatrixFileFormat::npy: return read_local_part(open_npy(path), matrix);
    case MatrixFileFormat::matrix_market:
      return read_local_part(path, matrix, options.sum_duplicates);
    case MatrixFileFormat::hdf5: return read_dataset_part(MatrixPath::of(path), matrix);
  }
}

}  // namespace

template <MatrixElement T>
Matrix<T> read_matrix(const std::string& path, const Layout& layout,
                      const Communicator& communicator, const MatrixFileOptions& options) {
  return collective_try(communicator, [&] {
    const MatrixFileDescription description = describe_matrix_file(path);
    check_request(path, description, layout, element_type_of<T>());
    Matrix<T> matrix(communicator, layout);
    read_part(path, description, matrix, options);
    return matrix;
  });
}

template <MatrixElement T>
void read_matrix(const std::string& path, Matrix<T>& matrix, const MatrixFileOptions& options) {
  collective_try(matrix.communicator(), [&] {
    const MatrixFileDescription description = describe_matrix_file(path);
    check_request(path, description, matrix.layout(), element_type_of<T>());
    HostMirror<T> on_host(matrix);
    read_part(path, description, on_host.get(), options);
    on_host.give_back();
  });
}

#define CUBOID_INSTANTIATE(T)                                                            \
  template Matrix<T> read_matrix(const std::string&, const Layout&, const Communicator&, \
                                 const MatrixFileOptions&);                              \
  template void read_matrix(const std::string&, Matrix<T>&, const MatrixFileOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
