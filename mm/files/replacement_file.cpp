#include "mm/files/replacement_file.hpp"

#include <cuboid/error.hpp>

#include "base/process_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

/// The file to which `path` leads through symbolic links, whether it exists or not. In a circle of
/// links it is one of the links.
std::string resolved(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  // The kernel does not follow more links, either.
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

constexpr std::string_view part_mark = ".part-";
constexpr std::size_t part_digits = 8;

/// True if make_temporary() gives such a name to a temporary file for `target`.
bool is_part_of(const std::string& name, const std::string& target) {
  const std::string beginning = std::filesystem::path(target).filename().string() += part_mark;
  return name.starts_with(beginning) && name.size() == beginning.size() + part_digits &&
         name.find_first_not_of("0123456789abcdef", beginning.size()) == std::string::npos;
}

/// Removes the temporary files of killed runs: files of Cuboid's that no process has locked.
void remove_stale(const std::string& target) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(target), error)) {
    if (!is_part_of(entry.path().filename().string(), target)) continue;
    const int descriptor =
        ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    const auto file = FileDescriptor::adopt(entry.path(), descriptor);
    struct stat status {};
    const bool ours =
        fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
    if (ours && flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
  }
}

FileDescriptor make_temporary(const std::string& target) {
  std::random_device random;
  for (;;) {
    std::string path = fmt::format("{}{}{:0{}x}", target, part_mark, random(), part_digits);
    // Nobody else may read the file until it is complete.
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) {
      if (errno == EEXIST) continue;
      throw_io_error(target, "cannot create a temporary file beside it", errno);
    }
    auto file = FileDescriptor::adopt(path, descriptor);
    flock(descriptor, LOCK_EX | LOCK_NB);  // on a file system without locks no file counts as stale
    struct stat status {};
    // Before the file was locked, another run may have taken it for stale and removed it.
    if (fstat(descriptor, &status) == 0 && status.st_nlink > 0) return file;
  }
}

/// The permissions that new files of this process get by its umask.
mode_t usual_permissions() {
  std::ifstream stream("/proc/self/status");
  for (std::string line; std::getline(stream, line);) {
    constexpr std::string_view key = "Umask:";
    if (line.starts_with(key))
      return 0666 & ~static_cast<mode_t>(std::strtoul(line.c_str() + key.size(), nullptr, 8));
  }
  return S_IRUSR | S_IWUSR;
}

/// Gives the new version the old version's owner and permissions if that is allowed. It sets only
/// permissions to read, write and execute.
void keep_owner_and_permissions(const FileDescriptor& file, const std::string& target) {
  struct stat old {};
  mode_t permissions = usual_permissions();
  if (stat(target.c_str(), &old) == 0) {
    permissions = old.st_mode & 0777;
    const bool same_group = fchown(file.get(), old.st_uid, old.st_gid) == 0 ||
                            fchown(file.get(), static_cast<uid_t>(-1), old.st_gid) == 0;
    // One group's permissions must not go to another group.
    if (!same_group) permissions = (permissions & ~mode_t{070}) | ((permissions & 07) << 3);
  }
  if (fchmod(file.get(), permissions) != 0) {
    throw_io_error(target, "cannot set its permissions", errno);
  }
}

void reserve_in(const FileDescriptor& file, const std::string& target, std::uint64_t bytes) {
  if (bytes == 0) return;
  // Reserves the space now, so that a full disk is an error before the work and not after it.
  int error =
      may_make_file_of(bytes) ? posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)) : EFBIG;
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
    : target_(resolved(path)),
      file_((remove_stale(target_), make_temporary(target_))),
      removed_if_interrupted_(file_.path()) {
  try {
    reserve(bytes);
  } catch (...) {
    unlink(temporary_path().c_str());
    throw;
  }
}

ReplacementFile::~ReplacementFile() {
  if (!committed_) unlink(temporary_path().c_str());
}

bool ReplacementFile::copy_old_version() {
  if (::access(target_.c_str(), F_OK) != 0) return false;
  const FileDescriptor old(target_, O_RDONLY);
  const std::uint64_t bytes = old.size();
  reserve(bytes);
  constexpr std::uint64_t at_once = 4 << 20;
  std::vector<std::byte> buffer(std::min(bytes, at_once));
  for (std::uint64_t offset = 0; offset < bytes; offset += buffer.size()) {
    const std::span part(buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes - offset));
    old.read_at(part, offset);
    file_.write_at(part, offset);
  }
  return true;
}

void ReplacementFile::reserve(std::uint64_t bytes) {
  reserve_in(file_, target_, bytes);
}

void ReplacementFile::commit() {
  keep_owner_and_permissions(file_, target_);
  file_.synchronise();
  const FileDescriptor folder(folder_of(target_), O_RDONLY | O_DIRECTORY);
  if (std::rename(temporary_path().c_str(), target_.c_str()) != 0) {
    throw_io_error(target_, "cannot replace it", errno);
  }
  committed_ = true;
  flock(file_.get(), LOCK_UN);  // it is an ordinary file now
  // The new name must survive a crash, too. The folder contains it.
  folder.synchronise();
}

void remove_left_behind(const std::string& path) {
  remove_stale(resolved(path));
}

void check_room(const std::string& path, std::uint64_t bytes) {
  const ReplacementFile trial(path, bytes);
}

void check_replaceable(const std::string& path) {
  const std::string target = resolved(path);
  const std::string folder = folder_of(target);
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) throw_io_error(path, "cannot write there", errno);
  if (!S_ISDIR(status.st_mode)) throw_io_error(path, "cannot write there", ENOTDIR);
  // R_OK, because the folder must be opened to be synchronised at the end.
  if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    throw_io_error(path, "cannot write there", errno);
  const std::size_t name = std::filesystem::path(target).filename().string().size();
  const long longest = pathconf(folder.c_str(), _PC_NAME_MAX);
  if (longest > 0 && name + part_mark.size() + part_digits > static_cast<std::size_t>(longest)) {
    throw Error(
        ErrorCode::io,
        fmt::format("{}: the name is too long for a temporary file beside it: give one of at "
                    "most {} characters",
                    path, static_cast<std::size_t>(longest) - part_mark.size() - part_digits));
  }
  if (stat(target.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, fmt::format("{}: exists and is not a regular file: give the path of "
                                           "a file to write",
                                           path));
  }
  if (access(target.c_str(), W_OK) != 0) throw_io_error(path, "cannot overwrite it", errno);
}

}  // namespace cuboid::detail
