#pragma once

#include <compare>
#include <cstdint>

namespace cuboid {

/// The dimensions of C = A·B that an index can run along: C's rows, C's columns, and the inner one
/// that the product sums over. They exist only as tags.
struct Row;
struct Column;
struct Inner;

namespace detail {
struct GlobalScope;
struct LocalScope;
}  // namespace detail

/// The number of a row or column, typed by what it counts: a row is no column, and a place in the
/// whole matrix (Global) is no place in one rank's part of it (Local). Mixing them up does not
/// compile. Differences are plain std::int64_t.
template <class Scope, class Dimension>
struct Index {
  std::int64_t value = 0;

  constexpr Index() = default;
  constexpr explicit Index(std::int64_t index) : value(index) {}

  constexpr auto operator<=>(const Index&) const = default;

  constexpr Index& operator+=(std::int64_t steps) {
    value += steps;
    return *this;
  }
  constexpr Index& operator++() { return *this += 1; }
  constexpr friend Index operator+(Index index, std::int64_t steps) { return index += steps; }
  constexpr friend Index operator-(Index index, std::int64_t steps) { return index += -steps; }
  constexpr friend std::int64_t operator-(Index last, Index first) {
    return last.value - first.value;
  }

  /// The same number along another dimension: what is a row of A is a column of Aᵀ.
  template <class Other>
  constexpr Index<Scope, Other> as() const {
    return Index<Scope, Other>(value);
  }
};

/// A place in the whole matrix.
template <class Dimension>
using Global = Index<detail::GlobalScope, Dimension>;

/// A place in the part of a matrix that one rank holds.
template <class Dimension>
using Local = Index<detail::LocalScope, Dimension>;

/// The indices begin <= i < end.
template <class IndexType>
struct Range {
  IndexType begin;
  IndexType end;

  constexpr std::int64_t extent() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool operator==(const Range&) const = default;

  template <class Other>
  constexpr auto as() const {
    return Range<decltype(begin.template as<Other>())>{begin.template as<Other>(),
                                                       end.template as<Other>()};
  }
};

template <class Dimension>
using GlobalRange = Range<Global<Dimension>>;

template <class Dimension>
using LocalRange = Range<Local<Dimension>>;

}  // namespace cuboid
