#include "collectives/types/finish.hpp"

#include <cstdint>
#include <type_traits>

namespace cuboid::detail {

namespace {

template <class Value, class Index, bool least>
void combine(const void* left, const void* right, void* result, std::size_t count) {
  using Element = Located<Value, Index>;
  const auto* a = static_cast<const Element*>(left);
  const auto* b = static_cast<const Element*>(right);
  auto* c = static_cast<Element*>(result);
  for (std::size_t i = 0; i < count; ++i) {
    const bool right_wins = least ? b[i].value < a[i].value : a[i].value < b[i].value;
    const bool right_is_first = b[i].value == a[i].value && b[i].index < a[i].index;
    const Element chosen = right_wins || right_is_first ? b[i] : a[i];
    // The members are copied one by one, because the bytes between them may belong to others.
    c[i].value = chosen.value;
    c[i].index = chosen.index;
  }
}

template <class Value, bool least>
CombineFunction for_value(Datatype::Kind value, Datatype::Kind index) {
  if (index == Datatype::Kind::int32) return &combine<Value, std::int32_t, least>;
  if (index == Datatype::Kind::int64) return &combine<Value, std::int64_t, least>;
  return index == value ? CombineFunction(&combine<Value, Value, least>) : CombineFunction();
}

template <bool least>
CombineFunction for_type(Datatype type) {
  using Kind = Datatype::Kind;
  const auto with = [&]<class Value>() {
    return for_value<Value, least>(type.value(), type.index());
  };
  switch (type.value()) {
    case Kind::int8: return with.template operator()<std::int8_t>();
    case Kind::int16: return with.template operator()<std::int16_t>();
    case Kind::int32: return with.template operator()<std::int32_t>();
    case Kind::int64: return with.template operator()<std::int64_t>();
    case Kind::uint8: return with.template operator()<std::uint8_t>();
    case Kind::uint16: return with.template operator()<std::uint16_t>();
    case Kind::uint32: return with.template operator()<std::uint32_t>();
    case Kind::uint64: return with.template operator()<std::uint64_t>();
    case Kind::float16: return with.template operator()<Float16>();
    case Kind::bfloat16: return with.template operator()<BFloat16>();
    case Kind::float32: return with.template operator()<float>();
    case Kind::float64: return with.template operator()<double>();
    case Kind::long_double: return with.template operator()<long double>();
    default: return {};
  }
}

}  // namespace

CombineFunction combine_located(Reduction::Kind kind, Datatype type) {
  if (kind == Reduction::Kind::minimum_location) return for_type<true>(type);
  if (kind == Reduction::Kind::maximum_location) return for_type<false>(type);
  return {};
}

}  // namespace cuboid::detail
