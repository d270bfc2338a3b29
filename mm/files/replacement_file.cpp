#include "mm/files/replacement_file.hpp"

#include <cuboid/error.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

/// The file that `path` leads to through symbolic links, whether it exists or not; in a circle of
/// links, one of them.
std::string resolved(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  // The kernel follows no more, either.
  constexpr int most_links = 40;
  for (int link = 0; link < most_links && std::filesystem::is_symlink(target, error); ++link) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  const auto canonical = std::filesystem::weakly_canonical(target, error);
  return error ? target.string() : canonical.string();
}

std::string folder_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

FileDescriptor make_temporary(const std::string& target) {
  std::random_device random;
  for (;;) {
    std::string path = fmt::format("{}.part-{:08x}", target, random());
    // Not mkstemp, whose files only their owner may read: these become the user's file.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return FileDescriptor::adopt(std::move(path), descriptor);
    if (errno != EEXIST) throw_io_error(target, "cannot create a temporary file beside it", errno);
  }
}

/// Gives the new version the old one's permissions.
void keep_permissions(const FileDescriptor& file, const std::string& target) {
  struct stat status {};
  if (stat(target.c_str(), &status) != 0) return;
  if (fchmod(file.get(), status.st_mode & 07777) != 0) {
    throw_io_error(target, "cannot set its permissions", errno);
  }
}

void reserve(const FileDescriptor& file, const std::string& target, std::uint64_t bytes) {
  if (bytes == 0) return;
  // Space that is not there is better missed now than after an hour of work.
  int error = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (error == EOPNOTSUPP || error == EINVAL) {
    error = ftruncate(file.get(), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  }
  if (error != 0) {
    const std::string what = fmt::format("cannot reserve {} bytes for it", bytes);
    throw_io_error(target, what.c_str(), error);
  }
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path, std::uint64_t bytes)
    : target_(resolved(path)), file_(make_temporary(target_)) {
  try {
    keep_permissions(file_, target_);
    reserve(file_, target_, bytes);
  } catch (...) {
    unlink(temporary_path().c_str());
    throw;
  }
}

ReplacementFile::~ReplacementFile() {
  if (!committed_) unlink(temporary_path().c_str());
}

void ReplacementFile::commit() {
  file_.synchronise();
  const FileDescriptor folder(folder_of(target_), O_RDONLY | O_DIRECTORY);
  if (std::rename(temporary_path().c_str(), target_.c_str()) != 0) {
    throw_io_error(target_, "cannot replace it", errno);
  }
  committed_ = true;
  // The new name must survive a crash as well; it is the folder that holds it.
  folder.synchronise();
}

void check_replaceable(const std::string& path) {
  const std::string target = resolved(path);
  const std::string folder = folder_of(target);
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) throw_io_error(path, "cannot write there", errno);
  if (!S_ISDIR(status.st_mode)) throw_io_error(path, "cannot write there", ENOTDIR);
  // Read as well: what is synchronised in the end must be open.
  if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    throw_io_error(path, "cannot write there", errno);
  if (stat(target.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, fmt::format("{}: exists and is not a regular file: give the path of "
                                           "a file to write",
                                           path));
  }
  if (access(target.c_str(), W_OK) != 0) throw_io_error(path, "cannot overwrite it", errno);
}

}  // namespace cuboid::detail
