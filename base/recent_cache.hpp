#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace cuboid::detail {

/// A cache of at most `capacity` values. If it is full, it forgets the value that has not been used
/// for the longest time. A look-up compares with every key, those used last first. So it suits few
/// keys, or values that take long to make. Values keep their address until they are forgotten.
template <class Key, class Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t capacity) : capacity_(capacity) {}

  /// The value of an equal key, which counts as used; nullptr if there is none.
  Value* find(const Key& key) {
    const auto known =
        std::ranges::find_if(entries_, [&](const auto& entry) { return entry.first == key; });
    if (known == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, known);
    return &known->second;
  }

  /// Adds the value of a key that find() does not find.
  Value& add(Key key, Value value) {
    entries_.emplace_front(std::move(key), std::move(value));
    if (entries_.size() > capacity_) entries_.pop_back();
    return entries_.front().second;
  }

  /// The value of an equal key. If there is none, adds the value that `make` returns. If `make`
  /// throws, nothing changes.
  template <class Make>
  Value& get(const Key& key, const Make& make) {
    if (Value* const known = find(key)) return *known;
    return add(key, make());
  }

  std::size_t size() const { return entries_.size(); }
  /// All pairs of a key and its value, the most recently used first.
  std::list<std::pair<Key, Value>>& entries() { return entries_; }
  const std::list<std::pair<Key, Value>>& entries() const { return entries_; }

 private:
  std::size_t capacity_;
  std::list<std::pair<Key, Value>> entries_;
};

}  // namespace cuboid::detail
