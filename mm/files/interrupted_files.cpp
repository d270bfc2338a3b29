#include "mm/files/interrupted_files.hpp"

#include <array>
#include <atomic>

#include <limits.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

enum class Use { none, being_written, in_use, removed };

/// A file's name, in memory that is never freed, so that a signal handler can read it.
struct Entry {
  std::atomic<Use> use = Use::none;
  std::array<char, PATH_MAX> name{};

  bool change(Use from, Use to) { return use.compare_exchange_strong(from, to); }
};

// State of the process, because signal handlers have no other access. Files beyond this number are
// not removed.
constexpr std::size_t most_files = 16;
std::array<Entry, most_files> files{};

}  // namespace

RemovedIfInterrupted::RemovedIfInterrupted(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t index = 0; index < files.size(); ++index) {
    Entry& entry = files[index];
    if (!entry.change(Use::none, Use::being_written)) continue;
    entry.name[path.copy(entry.name.data(), path.size())] = '\0';
    entry.use = Use::in_use;
    index_ = index;
    return;
  }
}

RemovedIfInterrupted::~RemovedIfInterrupted() {
  // If a handler has removed the file, it keeps the entry, because the process ends.
  if (index_) files[*index_].change(Use::in_use, Use::none);
}

void remove_interrupted_files() noexcept {
  for (Entry& entry : files) {
    if (entry.change(Use::in_use, Use::removed)) unlink(entry.name.data());
  }
}

}  // namespace cuboid::detail
