#include "mm/files/matrix_market_file.hpp"

#include <cuboid/error.hpp>

#include "mm/files/file_descriptor.hpp"
#include "mm/files/file_lines.hpp"
#include "mm/files/in_file.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid::detail {

namespace {

using Format = MatrixMarketHeader::Format;
using Symmetry = MatrixMarketHeader::Symmetry;

MatrixMarketHeader read_header(const FileDescriptor& file, FileLines& lines) {
  MatrixMarketHeaderParser parser;
  while (const auto line = lines.next()) {
    if (!parser.take(*line)) continue;
    // Every entry takes at least one character. So the number of entries is checked before memory
    // is allocated for them.
    if (static_cast<std::uint64_t>(parser.header().entries) > lines.most_bytes()) {
      throw Error(
          ErrorCode::parse,
          fmt::format("truncated: the header announces {} entries, but the file has {} bytes",
                      parser.header().entries, file.size()));
    }
    return parser.header();
  }
  throw Error(ErrorCode::parse, "truncated: the line of sizes is missing");
}

/// This rank's part of a matrix, filled entry by entry.
template <class T>
class LocalEntries {
 public:
  LocalEntries(Matrix<T>& matrix, const MatrixMarketHeader& header, bool sum_duplicates)
      : matrix_(matrix), header_(header), here_(matrix.position()) {
    for (std::int64_t j = 0; j < matrix.local_columns(); ++j) {
      std::fill_n(matrix.local().column(j), matrix.local_rows(), T(0));
    }
    if (header.format == Format::coordinate && !sum_duplicates) {
      seen_.resize(static_cast<std::size_t>(matrix.local_rows() * matrix.local_columns()));
    }
  }

  /// True if the entry at `place`, or its mirror image, is an element that this rank owns.
  bool concern(const MatrixMarketPlace& place) const {
    return owns(place) || (header_.symmetry != Symmetry::general && owns(across(place)));
  }

  void set(const MatrixMarketPlace& place, T value) {
    if (owns(place)) put(place, value);
    if (header_.symmetry != Symmetry::general && place.row != place.column && owns(across(place))) {
      put(across(place), mirrored(header_.symmetry, value));
    }
  }

 private:
  static MatrixMarketPlace across(const MatrixMarketPlace& place) {
    return {place.column, place.row};
  }

  bool owns(const MatrixMarketPlace& place) const {
    const Layout& layout = matrix_.layout();
    return here_ && layout.rows().owner(Global<Row>(place.row)) == here_->row &&
           layout.columns().owner(Global<Column>(place.column)) == here_->column;
  }

  void put(const MatrixMarketPlace& place, T value) {
    const Local<Row> i = matrix_.layout().rows().local(Global<Row>(place.row));
    const Local<Column> j = matrix_.layout().columns().local(Global<Column>(place.column));
    if (!seen_.empty()) {
      const auto at = static_cast<std::size_t>(i.value + j.value * matrix_.local_rows());
      if (seen_[at]) {
        throw Error(ErrorCode::parse,
                    fmt::format("element ({}, {}) is given a second time: read the file with "
                                "--sum-duplicates (sum_duplicates) to add such entries, as SciPy "
                                "and MATLAB do",
                                place.row + 1, place.column + 1));
      }
      seen_[at] = true;
    }
    matrix_(i, j) += value;
  }

  Matrix<T>& matrix_;
  const MatrixMarketHeader& header_;
  std::optional<GridPosition> here_;
  /// True for elements that have had an entry in a coordinate file; empty if that does not matter.
  std::vector<bool> seen_;
};

}  // namespace

MatrixMarketHeader read_matrix_market_header(const std::string& path) {
  const FileDescriptor file(path, O_RDONLY);
  FileLines lines(file);
  return in_file([&] { return lines.where(); }, [&] { return read_header(file, lines); });
}

template <MatrixElement T>
void read_local_part(const std::string& path, Matrix<T>& matrix, bool sum_duplicates) {
  const FileDescriptor file(path, O_RDONLY);
  FileLines lines(file);
  const auto where = [&] { return lines.where(); };
  in_file(where, [&] {
    const MatrixMarketHeader header = read_header(file, lines);
    if (header.rows != matrix.m() || header.columns != matrix.n()) {
      throw Error(ErrorCode::parse, "the file changed while it was read");
    }
    LocalEntries<T> entries(matrix, header, sum_duplicates);
    MatrixMarketArrayPlaces array_places(header);
    std::int64_t count = 0;
    while (auto line = lines.next()) {
      if (is_matrix_market_filler(*line)) continue;
      if (++count > header.entries) {
        throw Error(ErrorCode::parse, fmt::format("more than the {} entries that its header "
                                                  "announces",
                                                  header.entries));
      }
      const bool array = header.format == Format::array;
      const MatrixMarketPlace place = array ? array_places.place() : take_place(header, *line);
      if (entries.concern(place)) entries.set(place, parse_value<T>(header, place, *line));
      if (array) array_places.advance();
    }
    if (count < header.entries) {
      throw Error(ErrorCode::parse, fmt::format("truncated: {} entries of the {} that its header "
                                                "announces",
                                                count, header.entries));
    }
  });
}

#define CUBOID_INSTANTIATE(T) template void read_local_part(const std::string&, Matrix<T>&, bool)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
