#include "mm/files/hdf5_elements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::array<const char*, 2> members_of_h5py = {"r", "i"};

/// The description of a real number, with its number of bytes rounded up to a power of two; nullopt
/// if the type is not a real number.
std::optional<StoredNumbers> real_of(const Hdf5Library& hdf5, hid_t stored) {
  const std::size_t bytes = std::bit_ceil(hdf5.Tget_size(stored));
  switch (hdf5.Tget_class(stored)) {
    case H5T_FLOAT: return StoredNumbers{StoredNumbers::Kind::floating, bytes};
    case H5T_INTEGER:
      return StoredNumbers{hdf5.Tget_sign(stored) == H5T_SGN_NONE
                               ? StoredNumbers::Kind::unsigned_integer
                               : StoredNumbers::Kind::signed_integer,
                           bytes};
    default: return std::nullopt;
  }
}

bool is_long_integer(const StoredNumbers& stored) {
  return stored.kind != StoredNumbers::Kind::floating && stored.bytes == sizeof(std::int64_t);
}

std::string name_of_member(const Hdf5Library& hdf5, hid_t stored, unsigned member) {
  char* const text = hdf5.Tget_member_name(stored, member);
  if (text == nullptr) return {};
  std::string name = text;
  hdf5.free_memory(text);
  return name;
}

/// The element type of one part of a complex number; nullopt if the type cannot be such a part.
std::optional<ElementType> type_of_member(const Hdf5Library& hdf5, hid_t stored, unsigned member) {
  const Hdf5Handle type(hdf5.Tget_member_type(stored, member), hdf5.Tclose);
  const auto part = real_of(hdf5, type.get());
  if (!part || is_long_integer(*part)) return std::nullopt;
  return element_type_for(*part);
}

bool names_parts(const std::string& first, const std::string& second) {
  constexpr std::array<std::array<std::string_view, 2>, 3> known = {
      {{"r", "i"}, {"re", "im"}, {"real", "imag"}}};
  return std::ranges::any_of(
      known, [&](const auto& names) { return names[0] == first && names[1] == second; });
}

}  // namespace

std::optional<ElementType> element_type_of_hdf5(const Hdf5Library& hdf5, hid_t stored) {
  if (const auto real = real_of(hdf5, stored)) return element_type_for(*real);
  if (hdf5.Tget_class(stored) != H5T_COMPOUND || hdf5.Tget_nmembers(stored) != 2)
    return std::nullopt;
  const auto part = type_of_member(hdf5, stored, 0);
  if (!part || part != type_of_member(hdf5, stored, 1) ||
      !names_parts(name_of_member(hdf5, stored, 0), name_of_member(hdf5, stored, 1)))
    return std::nullopt;
  return *part == ElementType::float32 ? ElementType::complex64 : ElementType::complex128;
}

std::string words_for_elements(const Hdf5Library& hdf5, hid_t stored) {
  const std::size_t bits = 8 * hdf5.Tget_size(stored);
  switch (hdf5.Tget_class(stored)) {
    case H5T_INTEGER: return fmt::format("integers of {} bits", bits);
    case H5T_FLOAT: return fmt::format("floating-point numbers of {} bits", bits);
    case H5T_STRING: return "text";
    case H5T_ENUM: return "named values, as h5py stores booleans";
    case H5T_COMPOUND: return "records that are no complex numbers";
    default: return "no numbers";
  }
}

Hdf5Handle type_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored) {
  const bool twice = type == ElementType::float64 || type == ElementType::complex128;
  const hid_t real = twice ? hdf5.native_double : hdf5.native_float;
  constexpr auto stays_open = [](hid_t) -> herr_t { return 0; };
  if (!holds_complex(type)) return {real, stays_open};
  const std::size_t bytes = bytes_of(type);
  Hdf5Handle both(hdf5.Tcreate(H5T_COMPOUND, bytes), hdf5.Tclose);
  for (unsigned member = 0; member < 2; ++member) {
    const std::string name =
        stored < 0 ? members_of_h5py[member] : name_of_member(hdf5, stored, member);
    hdf5.Tinsert(both.get(), name.c_str(), member * bytes / 2, real);
  }
  return both;
}

NumbersInMemory numbers_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored) {
  const auto real = real_of(hdf5, stored);
  if (!real || !is_long_integer(*real))
    return {type_in_memory(hdf5, type, stored), stored_as(type)};
  constexpr auto stays_open = [](hid_t) -> herr_t { return 0; };
  const bool has_sign = real->kind == StoredNumbers::Kind::signed_integer;
  return {Hdf5Handle(has_sign ? hdf5.native_int64 : hdf5.native_uint64, stays_open), *real};
}

std::vector<Rectangle> rectangles_of(std::int64_t first, std::int64_t count, std::int64_t columns) {
  std::vector<Rectangle> result;
  while (count > 0) {
    const std::int64_t row = first / columns, column = first % columns;
    const bool whole_rows = column == 0 && count >= columns;
    const std::int64_t rows = whole_rows ? count / columns : 1;
    const std::int64_t width = whole_rows ? columns : std::min(count, columns - column);
    result.push_back({row, column, rows, width});
    first += rows * width;
    count -= rows * width;
  }
  return result;
}

}  // namespace cuboid::detail
