#pragma once

#include <cuboid/export.hpp>
#include <cuboid/half.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

namespace cuboid {

/// A value and the place that it comes from, for Reduction::Kind::minimum_location and
/// maximum_location (MPI's MINLOC and MAXLOC). The value is a real number. The index is an int32,
/// an int64, or of the value's type. Value and index lie in memory as in a C struct, like MPI's
/// pairs.
template <class Value, class Index = int>
struct Located {
  Value value;
  Index index;
  bool operator==(const Located&) const = default;
};

/// The type of a message's elements: a built-in number type, a value with its location, raw bytes,
/// or a user type of a given size.
class CUBOID_API Datatype {
 public:
  enum class Kind : std::uint8_t {
    byte,  ///< raw bytes; built-in reductions are undefined for them
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    complex64,    ///< std::complex<float>
    complex128,   ///< std::complex<double>
    float16,      ///< Float16
    bfloat16,     ///< BFloat16
    long_double,  ///< the compiler's long double; the same on all ranks
    located,      ///< a Located, see Datatype::located()
    user,         ///< trivially copyable, reduced only by Reduction::user
  };

  /// A built-in type.
  constexpr Datatype(Kind kind) : kind_(kind), bytes_(bytes_of(kind)) {}
  /// A user type of `bytes` bytes. Throws Error(invalid_argument) for 0 bytes.
  static constexpr Datatype user(std::size_t bytes) {
    if (bytes == 0) refuse_empty();
    return Datatype(Kind::user, bytes);
  }
  /// A value with its location: Located<Value, Index>. Throws Error(invalid_argument) if the value
  /// is no real number, or the index neither int32, int64 nor of the value's type.
  static constexpr Datatype located(Kind value, Kind index) {
    const bool real = is_real(value);
    if (!real || (index != Kind::int32 && index != Kind::int64 && index != value)) refuse_pair();
    const std::size_t alignment = std::max(alignment_of(value), alignment_of(index));
    const auto up = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
    const std::size_t end = up(bytes_of(value), alignment_of(index)) + bytes_of(index);
    Datatype type(Kind::located, up(end, alignment));
    type.value_ = value;
    type.index_ = index;
    return type;
  }

  /// Throws Error(invalid_argument) that says what a user type needs.
  [[noreturn]] static void refuse_empty();
  /// Throws Error(invalid_argument) that says what a value and its location may be.
  [[noreturn]] static void refuse_pair();
  /// Throws Error(invalid_argument) that says that `count` elements of this type are too many.
  [[noreturn]] static void refuse_count(std::size_t count, Datatype type);

  constexpr Kind kind() const { return kind_; }
  /// Size of one element in bytes.
  constexpr std::size_t bytes() const { return bytes_; }
  /// The type of the value of a Located, and the type of its index; byte for all other types.
  constexpr Kind value() const { return value_; }
  constexpr Kind index() const { return index_; }
  constexpr bool operator==(const Datatype&) const = default;

 private:
  static constexpr bool is_real(Kind kind) {
    return kind != Kind::byte && kind != Kind::complex64 && kind != Kind::complex128 &&
           kind != Kind::located && kind != Kind::user;
  }
  static constexpr std::size_t alignment_of(Kind kind) {
    switch (kind) {
      case Kind::float64: return alignof(double);
      case Kind::int64:
      case Kind::uint64: return alignof(std::int64_t);
      case Kind::long_double: return alignof(long double);
      default: return bytes_of(kind);
    }
  }
  constexpr Datatype(Kind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {}
  static constexpr std::size_t bytes_of(Kind kind) {
    switch (kind) {
      case Kind::byte:
      case Kind::int8:
      case Kind::uint8: return 1;
      case Kind::int16:
      case Kind::uint16:
      case Kind::float16:
      case Kind::bfloat16: return 2;
      case Kind::int32:
      case Kind::uint32:
      case Kind::float32: return 4;
      case Kind::int64:
      case Kind::uint64:
      case Kind::float64:
      case Kind::complex64: return 8;
      case Kind::complex128: return 16;
      case Kind::long_double: return sizeof(long double);
      case Kind::located:
      case Kind::user: break;
    }
    return 0;
  }

  Kind kind_;
  Kind value_ = Kind::byte;
  Kind index_ = Kind::byte;
  std::size_t bytes_;
};

/// "float64", "located(float64, int32)", "user(24 bytes)", ...
CUBOID_API std::string to_string(Datatype type);

namespace detail {
template <class T>
inline constexpr bool is_located = false;
template <class Value, class Index>
inline constexpr bool is_located<Located<Value, Index>> = true;
}  // namespace detail

/// The Datatype of a C++ type. A trivially copyable type that is not a number is a user type. bool
/// is a user type, too, because it has no sum.
template <class T>
constexpr Datatype datatype_of() {
  static_assert(std::is_trivially_copyable_v<T>,
                "messages are made of trivially copyable elements");
  using Kind = Datatype::Kind;
  if constexpr (std::is_same_v<T, std::byte>)
    return Kind::byte;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::float32;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::float64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return Kind::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return Kind::complex128;
  else if constexpr (std::is_same_v<T, Float16>)
    return Kind::float16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return Kind::bfloat16;
  else if constexpr (std::is_same_v<T, long double>)
    return Kind::long_double;
  else if constexpr (detail::is_located<T>)
    return Datatype::located(datatype_of<decltype(T::value)>().kind(),
                             datatype_of<decltype(T::index)>().kind());
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? Kind::int8 : Kind::uint8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? Kind::int16 : Kind::uint16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? Kind::int32 : Kind::uint32;
    else
      return is_signed ? Kind::int64 : Kind::uint64;
  } else {
    return Datatype::user(sizeof(T));
  }
}

namespace detail {
template <class Range>
using element_of = std::remove_cv_t<std::ranges::range_value_t<Range>>;

template <class Range>
concept readable_elements = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

template <class Range>
concept writable_elements = readable_elements<Range> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

inline void require_countable(std::size_t count, Datatype type);
}  // namespace detail

/// The largest size of a buffer in bytes: 32 TiB. The bytes of one buffer per rank can then always
/// be counted.
inline constexpr std::size_t longest_buffer = std::size_t{1} << 45;

/// A view of elements to read: address, count and type. The caller owns the memory. It is
/// constructed from any contiguous range (vector, span, array) or from address, count and type.
/// Throws Error(invalid_argument) if the elements have no size, or if they take more than
/// longest_buffer bytes. Only plans accept a null address: they may get their buffers later.
struct CUBOID_API ConstBuffer {
  const void* data = nullptr;
  std::size_t count = 0;
  Datatype type = Datatype::Kind::byte;

  ConstBuffer() = default;
  ConstBuffer(const void* data, std::size_t count, Datatype type)
      : data(data), count(count), type(type) {
    detail::require_countable(count, type);
  }
  template <class Range>
  requires detail::readable_elements<const Range&> ConstBuffer(const Range& range)
      : ConstBuffer(std::ranges::data(range), std::ranges::size(range),
                    datatype_of<detail::element_of<const Range&>>()) {}

  std::size_t bytes() const { return count * type.bytes(); }
};

/// A view of elements to write, or to read and write. The caller owns the memory. Constructed and
/// checked as a ConstBuffer.
struct CUBOID_API Buffer {
  void* data = nullptr;
  std::size_t count = 0;
  Datatype type = Datatype::Kind::byte;

  Buffer() = default;
  Buffer(void* data, std::size_t count, Datatype type) : data(data), count(count), type(type) {
    detail::require_countable(count, type);
  }
  template <class Range>
  requires detail::writable_elements<Range&> Buffer(Range& range)
      : Buffer(std::ranges::data(range), std::ranges::size(range),
               datatype_of<detail::element_of<Range&>>()) {}
  template <class T>
  requires(!std::is_const_v<T>) Buffer(std::span<T> range)
      : Buffer(range.data(), range.size(), datatype_of<T>()) {}

  operator ConstBuffer() const { return {data, count, type}; }
  std::size_t bytes() const { return count * type.bytes(); }
};

inline void detail::require_countable(std::size_t count, Datatype type) {
  std::size_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(count, type.bytes(), &bytes);
  if (overflows || bytes > longest_buffer || type.bytes() == 0) Datatype::refuse_count(count, type);
}

}  // namespace cuboid
