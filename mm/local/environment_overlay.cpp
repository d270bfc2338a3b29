#include "mm/local/environment_overlay.hpp"

#include <cstdlib>
#include <memory>

#include <unistd.h>

namespace cuboid::detail {

namespace {

/// The memory to which an overlay's list points. It is never freed: another thread may be reading
/// it.
struct Storage {
  std::vector<std::string> texts;
  std::vector<char*> list;
};

Storage& kept_storage() {
  static auto& all = *new std::vector<std::unique_ptr<Storage>>;
  return *all.emplace_back(std::make_unique<Storage>());
}

}  // namespace

EnvironmentOverlay::EnvironmentOverlay(const Variables& variables)
    : before_(environ), overlay_(environ) {
  Storage& storage = kept_storage();
  for (const auto& [name, value] : variables) {
    if (std::getenv(name.c_str()) == nullptr) storage.texts.push_back(name + "=" + value);
  }
  for (char** entry = before_; entry != nullptr && *entry != nullptr; ++entry) {
    storage.list.push_back(*entry);
  }
  for (std::string& text : storage.texts) storage.list.push_back(text.data());
  storage.list.push_back(nullptr);
  overlay_ = storage.list.data();
  __atomic_store_n(&environ, overlay_, __ATOMIC_RELEASE);
}

EnvironmentOverlay::~EnvironmentOverlay() {
  // If others have put another list in place since then, that list belongs to them and stays.
  char** expected = overlay_;
  __atomic_compare_exchange_n(&environ, &expected, before_, false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
}

}  // namespace cuboid::detail
