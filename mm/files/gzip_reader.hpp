#pragma once

#include "mm/files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// True if a file that begins with `bytes` is compressed by gzip.
constexpr bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

/// gzip compresses text at most by this factor (zlib's documentation).
inline constexpr std::uint64_t most_compression = 1032;

/// Reads data that gzip has compressed, from the file's beginning to its end. The file may have one
/// member or several.
class GzipReader {
 public:
  /// `file` must outlive the reader.
  explicit GzipReader(const FileDescriptor& file);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Fills `bytes` with the data that follows. Returns the number of bytes, which is smaller only
  /// at the end. Throws Error(io), and Error(parse), without the file's name, if the file is
  /// damaged or ends too early.
  std::size_t read(std::span<std::byte> bytes);

 private:
  struct Stream;

  bool refill();

  const FileDescriptor& file_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::byte> compressed_;
  std::uint64_t offset_ = 0;
  bool within_member_ = true;
};

}  // namespace cuboid::detail
