#include "mm/files/npy_file.hpp"

#include <cuboid/error.hpp>

#include "mm/files/in_file.hpp"
#include "mm/files/run_reader.hpp"
#include "mm/matrix/element_types.hpp"

#include <array>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid::detail {

namespace {

NpyHeader read_header(const FileDescriptor& file, std::uint64_t file_bytes,
                      std::uint64_t& data_offset) {
  std::array<std::byte, npy_preamble_bytes> preamble{};
  const std::size_t present = file.read_some_at(preamble, 0);
  const NpyTextRange range = npy_text_range(std::span(preamble).first(present));
  if (range.end > file_bytes) {
    throw Error(
        ErrorCode::parse,
        fmt::format("truncated: the header announces a header of {} bytes, but the file has {}",
                    range.end, file_bytes));
  }
  std::string text(range.end - range.begin, '\0');
  file.read_at(std::as_writable_bytes(std::span(text)), range.begin);
  data_offset = range.end;
  return parse_npy_header(text);
}

void check_length(const NpyHeader& header, std::uint64_t data_offset, std::uint64_t file_bytes) {
  // parse_npy_header() has checked that this product fits into 63 bits.
  const auto needed =
      static_cast<std::uint64_t>(header.rows * header.columns) * header.stored.bytes;
  const std::uint64_t present = file_bytes - data_offset;
  if (present == needed) return;
  throw Error(
      ErrorCode::parse,
      fmt::format("{}: a {} x {} matrix of {} bytes an element takes {} bytes after the header, "
                  "the file has {}",
                  present < needed ? "truncated" : "longer than its header says", header.rows,
                  header.columns, header.stored.bytes, needed, present));
}

}  // namespace

NpyFile open_npy(const std::string& path) {
  NpyFile npy{FileDescriptor(path, O_RDONLY), {}, 0};
  in_file([&] { return path; },
          [&] {
            const std::uint64_t file_bytes = npy.file.size();
            npy.header = read_header(npy.file, file_bytes, npy.data_offset);
            check_length(npy.header, npy.data_offset, file_bytes);
          });
  return npy;
}

template <MatrixElement T>
void read_local_part(const NpyFile& npy, Matrix<T>& matrix) {
  const StoredNumbers& stored = npy.header.stored;
  const auto read = [&](std::span<std::byte> elements, std::size_t count, std::int64_t first) {
    npy.file.read_at(elements.last(count * stored.bytes),
                     npy.data_offset + static_cast<std::uint64_t>(first) * stored.bytes);
    in_file([&] { return npy.file.path(); }, [&] { convert_in_place(stored, elements); });
  };
  with_element_type(npy.header.type(), [&]<class F>() {
    read_runs<F>(npy.header.order, matrix, [&](std::span<F> elements, std::int64_t first) {
      read(std::as_writable_bytes(elements), elements.size(), first);
    });
  });
}

#define CUBOID_INSTANTIATE(T) template void read_local_part(const NpyFile&, Matrix<T>&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
