#include "bindings/c/handles.hpp"

#include <array>
#include <cstdint>

namespace cuboid::detail::c {

namespace {

constexpr std::uintptr_t most_built_in = 13;

}  // namespace

Datatype type_of(cuboid_datatype type) {
  using Kind = Datatype::Kind;
  if (type > 0) return Datatype::user(static_cast<std::size_t>(type));
  switch (type) {
    case CUBOID_BYTE: return Kind::byte;
    case CUBOID_INT8: return Kind::int8;
    case CUBOID_INT16: return Kind::int16;
    case CUBOID_INT32: return Kind::int32;
    case CUBOID_INT64: return Kind::int64;
    case CUBOID_UINT8: return Kind::uint8;
    case CUBOID_UINT16: return Kind::uint16;
    case CUBOID_UINT32: return Kind::uint32;
    case CUBOID_UINT64: return Kind::uint64;
    case CUBOID_FLOAT32: return Kind::float32;
    case CUBOID_FLOAT64: return Kind::float64;
    case CUBOID_COMPLEX64: return Kind::complex64;
    case CUBOID_COMPLEX128: return Kind::complex128;
    case CUBOID_FLOAT16: return Kind::float16;
    case CUBOID_BFLOAT16: return Kind::bfloat16;
    case CUBOID_LONG_DOUBLE: return Kind::long_double;
    default:
      // A datatype that CUBOID_LOCATED makes of two built-in types.
      if (type <= -256 && type % 256 != 0)
        return Datatype::located(type_of(type / 256).kind(), type_of(type % 256).kind());
      refuse("datatype " + std::to_string(type) +
             ": give one of cuboid_built_in_type, or the size in bytes of a user-defined type");
  }
}

const Reduction& reduction_of(cuboid_reduction reduction) {
  using Kind = Reduction::Kind;
  // Built-in operations are small numbers, which cannot be addresses.
  static const std::array<Reduction, most_built_in> built_in = {
      Kind::sum,         Kind::product,     Kind::minimum,          Kind::maximum,
      Kind::logical_and, Kind::logical_or,  Kind::logical_xor,      Kind::bitwise_and,
      Kind::bitwise_or,  Kind::bitwise_xor, Kind::minimum_location, Kind::maximum_location,
      Kind::average};
  const auto number = reinterpret_cast<std::uintptr_t>(reduction);
  if (number >= 1 && number <= built_in.size()) return built_in[number - 1];
  // Neither the first page nor the last one contains an object, and every object is aligned.
  constexpr std::uintptr_t page = 4096;
  const bool address = number >= page && number <= std::uintptr_t{0} - page &&
                       number % alignof(cuboid_reduction_s) == 0;
  if (reduction != nullptr && !address) {
    refuse("reduction " + std::to_string(static_cast<std::intptr_t>(number)) +
           ": give a built-in operation, or one of cuboid_reduction_create()");
  }
  return required(reduction, "the reduction").reduction;
}

}  // namespace cuboid::detail::c

using namespace cuboid::detail::c;

size_t cuboid_datatype_bytes(cuboid_datatype type) {
  std::size_t bytes = 0;
  static_cast<void>(guarded([&] { bytes = type_of(type).bytes(); }));
  return bytes;
}

int cuboid_reduction_create(cuboid_combine_function combine, void* context, int commutative,
                            cuboid_reduction* reduction) {
  return guarded([&] {
    if (combine == nullptr) refuse("cuboid_reduction_create: the function is NULL");
    give(reduction, "the pointer to a reduction", [&] {
      return new cuboid_reduction_s{cuboid::Reduction::user(
          [combine, context](const void* left, const void* right, void* result, std::size_t count) {
            combine(left, right, result, count, context);
          },
          cuboid::Commutative{commutative != 0})};
    });
  });
}

int cuboid_reduction_free(cuboid_reduction* reduction) {
  return guarded([&] {
    // A built-in operation must not be deleted.
    static_cast<void>(reduction_of(required(reduction, "the pointer to a reduction")));
    if (reinterpret_cast<std::uintptr_t>(*reduction) <= most_built_in)
      refuse("cuboid_reduction_free: a built-in operation cannot be freed");
    delete std::exchange(*reduction, nullptr);
  });
}
