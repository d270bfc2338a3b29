#include "mm/files/interrupted_files.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace cuboid::detail {

namespace {

// State of the process, as signals are: their handlers are given nothing else. Files beyond these
// are not removed.
constexpr std::size_t most_files = 16;
std::array<std::atomic<const char*>, most_files> files{};

}  // namespace

RemovedIfInterrupted::RemovedIfInterrupted(const std::string& path) {
  const char* const name = strdup(path.c_str());
  for (auto& entry : files) {
    const char* free_entry = nullptr;
    if (!entry.compare_exchange_strong(free_entry, name)) continue;
    entry_ = &entry;
    return;
  }
  std::free(const_cast<char*>(name));
}

RemovedIfInterrupted::~RemovedIfInterrupted() {
  // Null where a handler has taken it: it is using the name, and the process ends.
  if (entry_ != nullptr) std::free(const_cast<char*>(entry_->exchange(nullptr)));
}

void remove_interrupted_files() noexcept {
  for (auto& entry : files) {
    const char* const name = entry.exchange(nullptr);
    if (name != nullptr) unlink(name);
  }
}

}  // namespace cuboid::detail
