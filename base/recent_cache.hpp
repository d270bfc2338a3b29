#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace cuboid::detail {

/// The values of the keys that were used most recently, at most `capacity` of them: a cache that
/// forgets the one that has not been used for longest. Look-ups compare with every key, so it is
/// for some dozens.
template <class Key, class Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t capacity) : capacity_(capacity) {}

  /// The value of an equal key, or what `make` returns, which is kept from now on. Valid until the
  /// next call. Where `make` throws, nothing changes.
  template <class Make>
  Value& get(const Key& key, const Make& make) {
    const auto known =
        std::ranges::find_if(entries_, [&](const auto& entry) { return entry.first == key; });
    if (known != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, known);
    } else {
      entries_.emplace_front(key, make());
      if (entries_.size() > capacity_) entries_.pop_back();
    }
    return entries_.front().second;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  std::size_t capacity_;
  std::list<std::pair<Key, Value>> entries_;  // most recently used first
};

}  // namespace cuboid::detail
