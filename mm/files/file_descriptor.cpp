#include "mm/files/file_descriptor.hpp"

#include <cuboid/error.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuboid::detail {

void throw_io_error(const std::string& path, const char* what, int error_number) {
  throw Error(ErrorCode::io,
              fmt::format("{}: {}: {}", path, what, std::generic_category().message(error_number)));
}

FileDescriptor::FileDescriptor(const std::string& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK)) {
  // Without O_NONBLOCK, opening a pipe would wait until its other end is opened. Regular files
  // ignore the flag.
  if (descriptor_ < 0) throw_io_error(path, "cannot open", errno);
}

FileDescriptor::FileDescriptor(std::string path, Adopted adopted)
    : path_(std::move(path)), descriptor_(adopted.descriptor) {}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t FileDescriptor::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) throw_io_error(path_, "cannot read its size", errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, fmt::format("{}: not a regular file", path_));
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t FileDescriptor::read_some_at(std::span<std::byte> bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_io_error(path_, "cannot read", errno);
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void FileDescriptor::read_at(std::span<std::byte> bytes, std::uint64_t offset) const {
  if (read_some_at(bytes, offset) < bytes.size()) {
    throw Error(ErrorCode::io, fmt::format("{}: the file became shorter while it was read", path_));
  }
}

void FileDescriptor::write_at(std::span<const std::byte> bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_io_error(path_, "cannot write", errno);
    done += static_cast<std::size_t>(count);
  }
}

void FileDescriptor::synchronise() const {
  if (fsync(descriptor_) != 0) throw_io_error(path_, "cannot write", errno);
}

}  // namespace cuboid::detail
