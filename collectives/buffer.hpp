#pragma once

#include <cuboid/collectives/datatype.hpp>

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

namespace cuboid {

namespace detail {
template <class Range>
using element_of = std::remove_cv_t<std::ranges::range_value_t<Range>>;

template <class Range>
concept readable_elements = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

template <class Range>
concept writable_elements = readable_elements<Range> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;
}  // namespace detail

/// Elements to read: where, how many, of which type. A view: the memory stays the caller's. Made
/// from any contiguous range (vector, span, array) or from pointer, count and type.
struct ConstBuffer {
  const void* data = nullptr;
  std::size_t count = 0;
  Datatype type = Datatype::Kind::byte;

  ConstBuffer() = default;
  ConstBuffer(const void* data, std::size_t count, Datatype type)
      : data(data), count(count), type(type) {}
  template <class Range>
  requires detail::readable_elements<const Range&> ConstBuffer(const Range& range)
      : data(std::ranges::data(range)),
        count(std::ranges::size(range)),
        type(datatype_of<detail::element_of<const Range&>>()) {}

  std::size_t bytes() const { return count * type.bytes(); }
};

/// Elements to write, or to read and write. A view like ConstBuffer.
struct Buffer {
  void* data = nullptr;
  std::size_t count = 0;
  Datatype type = Datatype::Kind::byte;

  Buffer() = default;
  Buffer(void* data, std::size_t count, Datatype type) : data(data), count(count), type(type) {}
  template <class Range>
  requires detail::writable_elements<Range&> Buffer(Range& range)
      : data(std::ranges::data(range)),
        count(std::ranges::size(range)),
        type(datatype_of<detail::element_of<Range&>>()) {}
  template <class T>
  requires(!std::is_const_v<T>) Buffer(std::span<T> range)
      : data(range.data()), count(range.size()), type(datatype_of<T>()) {}

  operator ConstBuffer() const { return {data, count, type}; }
  std::size_t bytes() const { return count * type.bytes(); }
};

}  // namespace cuboid
