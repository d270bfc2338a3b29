#include <cuboid/error.hpp>
#include <cuboid/reduction.hpp>

#include "collectives/types/finish.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

#include <fmt/format.h>

namespace cuboid {

namespace {

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool is_floating = std::is_floating_point_v<T> || is_half<T>;

template <Reduction::Kind kind, class T>
T apply(T left, T right) {
  using Kind = Reduction::Kind;
  if constexpr (is_half<T>) {
    return T(apply<kind>(static_cast<float>(left), static_cast<float>(right)));
  } else {
    // Small integers are computed in int and cut back: a sum of fixed width wraps around.
    if constexpr (kind == Kind::sum || kind == Kind::average) return static_cast<T>(left + right);
    // In unsigned int at least, because the product of two 16-bit numbers may not fit in an int.
    if constexpr (kind == Kind::product && std::is_integral_v<T>)
      return static_cast<T>(1u * left * right);
    else if constexpr (kind == Kind::product)
      return left * right;
    if constexpr (kind == Kind::minimum) return right < left ? right : left;
    if constexpr (kind == Kind::maximum) return left < right ? right : left;
    if constexpr (kind == Kind::logical_and) return static_cast<T>(left != T{} && right != T{});
    if constexpr (kind == Kind::logical_or) return static_cast<T>(left != T{} || right != T{});
    if constexpr (kind == Kind::logical_xor) return static_cast<T>((left != T{}) != (right != T{}));
    if constexpr (kind == Kind::bitwise_and) return static_cast<T>(left & right);
    if constexpr (kind == Kind::bitwise_or) return static_cast<T>(left | right);
    if constexpr (kind == Kind::bitwise_xor) return static_cast<T>(left ^ right);
  }
}

template <Reduction::Kind kind, class T>
void combine(const void* left, const void* right, void* result, std::size_t count) {
  // Signed sums and products wrap around like unsigned ones; otherwise overflow would be undefined.
  using Wrapping = typename std::conditional_t<std::is_signed_v<T> && std::is_integral_v<T> &&
                                                   (kind == Reduction::Kind::sum ||
                                                    kind == Reduction::Kind::product),
                                               std::make_unsigned<T>, std::type_identity<T>>::type;
  const auto* a = static_cast<const Wrapping*>(left);
  const auto* b = static_cast<const Wrapping*>(right);
  auto* c = static_cast<Wrapping*>(result);
  // The result may be one of the operands itself, element for element. No iteration depends on
  // another.
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) c[i] = apply<kind, Wrapping>(a[i], b[i]);
}

template <class T>
constexpr bool defined(Reduction::Kind kind) {
  using Kind = Reduction::Kind;
  switch (kind) {
    case Kind::sum:
    case Kind::product: return true;
    case Kind::minimum:
    case Kind::maximum:
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor: return !is_complex<T>;
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor: return std::is_integral_v<T>;
    case Kind::average: return is_floating<T> || is_complex<T>;
    case Kind::minimum_location:
    case Kind::maximum_location:
    case Kind::user: return false;
  }
  return false;
}

template <class T, Reduction::Kind... kinds>
CombineFunction choose(Reduction::Kind kind) {
  CombineFunction chosen;
  const auto consider = [&]<Reduction::Kind candidate>() {
    if constexpr (defined<T>(candidate)) {
      if (kind == candidate) chosen = &combine<candidate, T>;
    }
  };
  (consider.template operator()<kinds>(), ...);
  return chosen;
}

template <class T>
CombineFunction for_type(Reduction::Kind kind) {
  using Kind = Reduction::Kind;
  return choose<T, Kind::sum, Kind::product, Kind::minimum, Kind::maximum, Kind::logical_and,
                Kind::logical_or, Kind::logical_xor, Kind::bitwise_and, Kind::bitwise_or,
                Kind::bitwise_xor, Kind::average>(kind);
}

CombineFunction built_in(Reduction::Kind kind, Datatype type) {
  using Type = Datatype::Kind;
  switch (type.kind()) {
    case Type::int8: return for_type<std::int8_t>(kind);
    case Type::int16: return for_type<std::int16_t>(kind);
    case Type::int32: return for_type<std::int32_t>(kind);
    case Type::int64: return for_type<std::int64_t>(kind);
    case Type::uint8: return for_type<std::uint8_t>(kind);
    case Type::uint16: return for_type<std::uint16_t>(kind);
    case Type::uint32: return for_type<std::uint32_t>(kind);
    case Type::uint64: return for_type<std::uint64_t>(kind);
    case Type::float32: return for_type<float>(kind);
    case Type::float64: return for_type<double>(kind);
    case Type::complex64: return for_type<std::complex<float>>(kind);
    case Type::complex128: return for_type<std::complex<double>>(kind);
    case Type::float16: return for_type<Float16>(kind);
    case Type::bfloat16: return for_type<BFloat16>(kind);
    case Type::long_double: return for_type<long double>(kind);
    case Type::located: return detail::combine_located(kind, type);
    case Type::byte:
    case Type::user: return {};
  }
  return {};
}

}  // namespace

Reduction Reduction::user(CombineFunction combine, Commutative commutative) {
  if (!combine) {
    throw Error(ErrorCode::invalid_argument, "Reduction::user: an empty function: give one");
  }
  Reduction reduction(Kind::user);
  reduction.commutative_ = commutative == Commutative::yes;
  reduction.combine_ = std::make_shared<const CombineFunction>(std::move(combine));
  return reduction;
}

bool Reduction::defined_for(Datatype type) const {
  return kind_ == Kind::user ? combine_ != nullptr : static_cast<bool>(built_in(kind_, type));
}

CombineFunction Reduction::combine_for(Datatype type) const {
  if (!defined_for(type)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is not defined for {}; use Reduction::user",
                            cuboid::to_string(kind_), cuboid::to_string(type)));
  }
  return kind_ == Kind::user ? *combine_ : built_in(kind_, type);
}

namespace {

template <class T>
void divide(void* elements, std::size_t count, int by) {
  T* const all = static_cast<T*>(elements);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (is_half<T>) {
      all[i] = T(static_cast<float>(all[i]) / static_cast<float>(by));
    } else if constexpr (is_complex<T>) {
      all[i] /= static_cast<typename T::value_type>(by);
    } else {
      all[i] /= static_cast<T>(by);
    }
  }
}

}  // namespace

detail::FinishFunction detail::finish_for(const Reduction& reduction, Datatype type, int ranks) {
  if (reduction.kind() != Reduction::Kind::average) return {};
  const auto dividing = [ranks](auto* divide_elements) -> FinishFunction {
    return [divide_elements, ranks](void* elements, std::size_t count) {
      divide_elements(elements, count, ranks);
    };
  };
  using Type = Datatype::Kind;
  switch (type.kind()) {
    case Type::float16: return dividing(&divide<Float16>);
    case Type::bfloat16: return dividing(&divide<BFloat16>);
    case Type::float32: return dividing(&divide<float>);
    case Type::float64: return dividing(&divide<double>);
    case Type::long_double: return dividing(&divide<long double>);
    case Type::complex64: return dividing(&divide<std::complex<float>>);
    case Type::complex128: return dividing(&divide<std::complex<double>>);
    default: return {};
  }
}

std::string to_string(Reduction::Kind kind) {
  using Kind = Reduction::Kind;
  switch (kind) {
    case Kind::sum: return "sum";
    case Kind::product: return "product";
    case Kind::minimum: return "minimum";
    case Kind::maximum: return "maximum";
    case Kind::logical_and: return "logical and";
    case Kind::logical_or: return "logical or";
    case Kind::logical_xor: return "logical xor";
    case Kind::bitwise_and: return "bitwise and";
    case Kind::bitwise_or: return "bitwise or";
    case Kind::bitwise_xor: return "bitwise xor";
    case Kind::minimum_location: return "minimum and its location";
    case Kind::maximum_location: return "maximum and its location";
    case Kind::average: return "average";
    case Kind::user: return "user's operation";
  }
  return "unknown";
}

std::string to_string(Datatype type) {
  using Kind = Datatype::Kind;
  switch (type.kind()) {
    case Kind::byte: return "byte";
    case Kind::int8: return "int8";
    case Kind::int16: return "int16";
    case Kind::int32: return "int32";
    case Kind::int64: return "int64";
    case Kind::uint8: return "uint8";
    case Kind::uint16: return "uint16";
    case Kind::uint32: return "uint32";
    case Kind::uint64: return "uint64";
    case Kind::float32: return "float32";
    case Kind::float64: return "float64";
    case Kind::complex64: return "complex64";
    case Kind::complex128: return "complex128";
    case Kind::float16: return "float16";
    case Kind::bfloat16: return "bfloat16";
    case Kind::long_double: return "long double";
    case Kind::located:
      return fmt::format("located({}, {})", to_string(Datatype(type.value())),
                         to_string(Datatype(type.index())));
    case Kind::user: return fmt::format("user({} bytes)", type.bytes());
  }
  return "unknown";
}

}  // namespace cuboid
