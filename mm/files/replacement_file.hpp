#pragma once

#include "mm/files/file_descriptor.hpp"
#include "mm/files/interrupted_files.hpp"

#include <cstdint>
#include <string>

namespace cuboid::detail {

/// A new version of a file. It is written beside the file under a temporary name and replaces the
/// file only when it is complete. So readers of the path find the old version or the new one, never
/// a part. A version that is not committed is removed; a version that a killed run has left is
/// removed by the next run. Until it is committed only its owner may read it. Then it has the old
/// version's owner and permissions, as far as this process may set them, but no SUID.
class ReplacementFile {
 public:
  /// Makes a temporary file of `bytes` bytes beside `path`, and reserves its space. If `path` is a
  /// symbolic link, the file to which it leads is replaced. Throws Error(io).
  ReplacementFile(const std::string& path, std::uint64_t bytes);
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile();

  const FileDescriptor& file() const { return file_; }
  /// The name of the temporary file, for other processes that write parts of it.
  const std::string& temporary_path() const { return file_.path(); }

  /// Copies the old version into the new version. Returns false if there is no old version. Throws
  /// Error(io).
  bool copy_old_version();
  /// Reserves the space of `bytes` bytes in total. Throws Error(io).
  void reserve(std::uint64_t bytes);

  /// Writes the new version to the device, and replaces the old version by it. Throws Error(io).
  void commit();

 private:
  std::string target_;
  FileDescriptor file_;
  RemovedIfInterrupted removed_if_interrupted_;
  bool committed_ = false;
};

/// Removes the temporary file of a ReplacementFile for `path` if its process has ended.
void remove_left_behind(const std::string& path);

/// Throws, before hours of work, what a ReplacementFile of `bytes` bytes would throw. Leaves no
/// file.
void check_room(const std::string& path, std::uint64_t bytes);

/// Checks, as far as that is known beforehand, that a ReplacementFile could replace `path`: its
/// folder exists and may be written, and `path` itself does not exist or is a regular file that may
/// be overwritten. Throws Error(io) with the remedy. Writes nothing.
void check_replaceable(const std::string& path);

}  // namespace cuboid::detail
