#pragma once

#include "mm/files/file_descriptor.hpp"
#include "mm/files/gzip_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Reads a text file, compressed by gzip or not, line by line, in pieces of 1 MiB.
class FileLines {
 public:
  /// `file` must outlive the reader.
  explicit FileLines(const FileDescriptor& file);

  /// The next line, without its end ("\n" or "\r\n"), valid until the next call; nullopt after the
  /// last line. Throws Error(io). Throws Error(parse), without file and line, for a line longer
  /// than a piece and for damaged data of gzip.
  std::optional<std::string_view> next();

  /// An upper bound on the number of bytes of the text. Throws Error(io).
  std::uint64_t most_bytes() const;

  /// "file:line" of the line that next() returned last. The first line is number 1.
  std::string where() const;

 private:
  bool read_more();

  const FileDescriptor& file_;
  std::optional<GzipReader> gzip_;
  std::vector<char> buffer_;
  std::string_view rest_;  ///< the part of the buffer that next() has not returned yet
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
  std::int64_t line_number_ = 0;
};

}  // namespace cuboid::detail
