#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cuboid::detail {

/// A file that remove_interrupted_files() removes while this object lives.
class RemovedIfInterrupted {
 public:
  explicit RemovedIfInterrupted(const std::string& path);
  ~RemovedIfInterrupted();
  RemovedIfInterrupted(const RemovedIfInterrupted&) = delete;
  RemovedIfInterrupted& operator=(const RemovedIfInterrupted&) = delete;

 private:
  std::optional<std::size_t> index_ = {};
};

/// Removes the unfinished files of this process. It is for handlers of signals that end the
/// process, and may be called at any moment.
void remove_interrupted_files() noexcept;

}  // namespace cuboid::detail
