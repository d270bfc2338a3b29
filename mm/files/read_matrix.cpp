#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/files/matrix_market_file.hpp"
#include "mm/files/npy_file.hpp"
#include "mm/layout/element_types.hpp"

#include <array>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

MatrixFileFormat recognised_format(const std::string& path) {
  const FileDescriptor file(path, O_RDONLY);
  file.size();  // throws for folders, pipes and the like
  std::array<std::byte, 16> beginning{};
  const auto bytes = std::span(beginning).first(file.read_some_at(beginning, 0));
  if (is_npy(bytes)) return MatrixFileFormat::npy;
  if (is_matrix_market({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
    return MatrixFileFormat::matrix_market;
  }
  throw Error(ErrorCode::parse,
              fmt::format("{}: neither a .npy nor a Matrix Market file: it begins with neither "
                          "\\x93NUMPY nor %%MatrixMarket",
                          path));
}

void check_request(const std::string& path, const MatrixFileDescription& file, const Layout& layout,
                   ElementType wanted) {
  if (file.rows != layout.m() || file.columns != layout.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: holds a {} x {} matrix, the layout is for {} x {}", path,
                            file.rows, file.columns, layout.m(), layout.n()));
  }
  // The text of a Matrix Market file may be read at any precision.
  const ElementType least = file.format == MatrixFileFormat::npy   ? file.type
                            : file.type == ElementType::complex128 ? ElementType::complex64
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
  description.format = recognised_format(path);
  if (description.format == MatrixFileFormat::npy) {
    const NpyHeader header = open_npy(path).header;
    description.type = header.type;
    description.rows = header.rows;
    description.columns = header.columns;
  } else {
    const MatrixMarketHeader header = read_matrix_market_header(path);
    description.type = header.type();
    description.rows = header.rows;
    description.columns = header.columns;
  }
  return description;
}

namespace {

/// Reads what this rank owns; does not communicate.
template <MatrixElement T>
void read_part(const std::string& path, const MatrixFileDescription& description,
               Matrix<T>& matrix) {
  if (description.format == MatrixFileFormat::npy) {
    read_local_part(open_npy(path), matrix);
  } else {
    read_local_part(path, matrix);
  }
}

}  // namespace

template <MatrixElement T>
Matrix<T> read_matrix(const std::string& path, const Layout& layout,
                      const Communicator& communicator) {
  return collective_try(communicator, [&] {
    const MatrixFileDescription description = describe_matrix_file(path);
    check_request(path, description, layout, element_type_of<T>());
    Matrix<T> matrix(communicator, layout);
    read_part(path, description, matrix);
    return matrix;
  });
}

template <MatrixElement T>
void read_matrix(const std::string& path, Matrix<T>& matrix) {
  collective_try(matrix.communicator(), [&] {
    const MatrixFileDescription description = describe_matrix_file(path);
    check_request(path, description, matrix.layout(), element_type_of<T>());
    read_part(path, description, matrix);
  });
}

#define CUBOID_INSTANTIATE(T)                                                             \
  template Matrix<T> read_matrix(const std::string&, const Layout&, const Communicator&); \
  template void read_matrix(const std::string&, Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
