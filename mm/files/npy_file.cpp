#include "mm/files/npy_file.hpp"

#include <cuboid/error.hpp>

#include "mm/files/file_runs.hpp"
#include "mm/files/in_file.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Bytes read in one go at most, and so the memory that reading takes.
constexpr std::int64_t buffer_bytes = 4 << 20;
/// Other ranks' bytes between two runs of ours that are read along rather than skipped: as many as
/// are read in the time of one more system call.
constexpr std::int64_t worthwhile_gap_bytes = 16 << 10;

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
  // parse_npy_header() has checked that this product fits 63 bits.
  const auto needed =
      static_cast<std::uint64_t>(header.rows * header.columns) * bytes_of(header.type);
  const std::uint64_t present = file_bytes - data_offset;
  if (present == needed) return;
  throw Error(
      ErrorCode::parse,
      fmt::format("{}: a {} x {} matrix of {} takes {} bytes after the header, the file has "
                  "{}",
                  present < needed ? "truncated" : "longer than its header says", header.rows,
                  header.columns, to_string(header.type), needed, present));
}

/// Element type F of a file as T of memory.
template <class T, class F>
T converted(F value) {
  if constexpr (is_complex<F>) {
    return T(static_cast<RealOf<T>>(value.real()), static_cast<RealOf<T>>(value.imag()));
  } else {
    return T(static_cast<RealOf<T>>(value));
  }
}

/// Collects runs that lie close to each other, reads them at one go and puts them into place.
template <class F, class T>
class RunReader {
 public:
  RunReader(const NpyFile& npy, LocalView<T> local)
      : npy_(npy), local_(local), stride_(stride_of(npy, local)) {}

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
    npy_.file.read_at(std::as_writable_bytes(std::span(buffer_)),
                      npy_.data_offset + static_cast<std::uint64_t>(first) * sizeof(F));
    for (const FileRun& run : runs_) put(run, buffer_.data() + (run.position - first));
    runs_.clear();
  }

 private:
  static std::int64_t stride_of(const NpyFile& npy, LocalView<T> local) {
    return npy.header.order == ElementOrder::column_major ? 1 : local.leading_dimension;
  }
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

  const NpyFile& npy_;
  LocalView<T> local_;
  std::int64_t stride_;  ///< from one element of a run to the next in local memory
  std::vector<F> buffer_;
  std::vector<FileRun> runs_;
  std::int64_t end_ = 0;
};

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
  with_element_type(npy.header.type, [&]<class F>() {
    if constexpr (fits(element_type_of<F>(), element_type_of<T>())) {
      using Reader = RunReader<F, T>;
      Reader reader(npy, matrix.local());
      for_each_file_run(matrix.layout(), matrix.communicator().rank(), npy.header.order,
                        Reader::longest_run, [&](const FileRun& run) { reader.add(run); });
      reader.flush();
    }
  });
}

template void read_local_part(const NpyFile&, Matrix<float>&);
template void read_local_part(const NpyFile&, Matrix<double>&);
template void read_local_part(const NpyFile&, Matrix<std::complex<float>>&);
template void read_local_part(const NpyFile&, Matrix<std::complex<double>>&);

}  // namespace cuboid::detail
