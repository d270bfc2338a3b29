#include <cuboid/element.hpp>
#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid {

std::size_t bytes_of(ElementType type) {
  return with_element_type(type, []<class T>() { return sizeof(T); });
}

char letter(ElementType type) {
  switch (type) {
    case ElementType::float32: return 's';
    case ElementType::float64: return 'd';
    case ElementType::complex64: return 'c';
    case ElementType::complex128: return 'z';
  }
  return '?';
}

ElementType parse_element_type(std::string_view text) {
  if (text == "s") return ElementType::float32;
  if (text == "d") return ElementType::float64;
  if (text == "c") return ElementType::complex64;
  if (text == "z") return ElementType::complex128;
  throw Error(ErrorCode::parse,
              fmt::format("unknown element type \"{}\": give s (float), d (double), c (complex "
                          "float) or z (complex double)",
                          text));
}

std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::float32: return "float32";
    case ElementType::float64: return "float64";
    case ElementType::complex64: return "complex64";
    case ElementType::complex128: return "complex128";
  }
  return "unknown";
}

ElementType common_type(ElementType left, ElementType right) {
  // The types are tried in the order of their size: the first type that can hold both is the
  // smallest.
  for (const ElementType type :
       {ElementType::float32, ElementType::float64, ElementType::complex64}) {
    if (fits(left, type) && fits(right, type)) return type;
  }
  return ElementType::complex128;
}

}  // namespace cuboid
