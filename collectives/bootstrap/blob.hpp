#pragma once

#include <cuboid/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// Several values of any length as one message of the bootstrap.
class BlobWriter {
 public:
  void add(std::span<const std::byte> value) {
    const std::uint64_t length = value.size();
    const auto head = std::as_bytes(std::span(&length, 1));
    blob_.insert(blob_.end(), head.begin(), head.end());
    blob_.insert(blob_.end(), value.begin(), value.end());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class T>
  void add(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(std::as_bytes(std::span(values)));
  }
  const std::vector<std::byte>& bytes() const { return blob_; }

 private:
  std::vector<std::byte> blob_;
};

/// Takes the values out of such a message, in the order in which they were added.
class BlobReader {
 public:
  explicit BlobReader(std::span<const std::byte> blob) : blob_(blob) {}

  /// The next value. Like text() and vector(), throws Error(internal) if the message is too short.
  std::span<const std::byte> take() {
    std::uint64_t length = 0;
    if (blob_.size() < sizeof length) throw_cut_short();
    std::memcpy(&length, blob_.data(), sizeof length);
    blob_ = blob_.subspan(sizeof length);
    if (blob_.size() < length) throw_cut_short();
    const auto value = blob_.first(length);
    blob_ = blob_.subspan(length);
    return value;
  }
  std::string text() {
    const auto value = take();
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  template <class T>
  std::vector<T> vector() {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto value = take();
    std::vector<T> values(value.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), value.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  [[noreturn]] static void throw_cut_short() {
    throw Error(ErrorCode::internal, "bootstrap: a rank's message is cut short");
  }

  std::span<const std::byte> blob_;
};

}  // namespace cuboid::detail
