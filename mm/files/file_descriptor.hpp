#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cuboid::detail {

/// An open file. It owns its descriptor. Every error names the file and the system's reason.
class FileDescriptor {
 public:
  /// Opens `path` as open(2) does. Throws Error(io).
  FileDescriptor(const std::string& path, int flags);
  /// Takes over an open descriptor.
  static FileDescriptor adopt(std::string path, int descriptor) {
    return {std::move(path), Adopted{descriptor}};
  }
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();

  const std::string& path() const { return path_; }
  int get() const { return descriptor_; }
  /// The number of bytes in the file. Throws Error(io) if it is not a regular file.
  std::uint64_t size() const;

  /// Fills `bytes` from `offset` on. Throws Error(io) if the file cannot be read or ends too early.
  void read_at(std::span<std::byte> bytes, std::uint64_t offset) const;
  /// read_at() for a file that may end too early. Returns the number of bytes that it read.
  std::size_t read_some_at(std::span<std::byte> bytes, std::uint64_t offset) const;
  /// Writes all of `bytes`. Throws Error(io).
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset) const;
  /// Returns when all bytes that were written are on the device. Throws Error(io).
  void synchronise() const;

 private:
  struct Adopted {
    int descriptor;
  };
  FileDescriptor(std::string path, Adopted adopted);

  std::string path_;
  int descriptor_;
};

/// Throws Error(io) with the text "path: what: the system's reason for `error_number`".
[[noreturn]] void throw_io_error(const std::string& path, const char* what, int error_number);

}  // namespace cuboid::detail
