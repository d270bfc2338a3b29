#include "mm/hdf5/hdf5_elements.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::array<const char*, 2> members_of_h5py = {"r", "i"};

/// Bytes of a real number in memory that holds what is stored without loss; 0 where none does. An
/// integer has as many digits as it has bits, a float 24, a double 53.
std::size_t real_bytes(const Hdf5Library& hdf5, hid_t stored) {
  const H5T_class_t kind = hdf5.Tget_class(stored);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return 0;
  const std::size_t bytes = hdf5.Tget_size(stored) * (kind == H5T_INTEGER ? 2 : 1);
  if (bytes > sizeof(double)) return 0;
  return bytes > sizeof(float) ? sizeof(double) : sizeof(float);
}

std::string name_of_member(const Hdf5Library& hdf5, hid_t stored, unsigned member) {
  char* const text = hdf5.Tget_member_name(stored, member);
  if (text == nullptr) return {};
  std::string name = text;
  hdf5.free_memory(text);
  return name;
}

std::size_t bytes_of_member(const Hdf5Library& hdf5, hid_t stored, unsigned member) {
  const Hdf5Handle type(hdf5.Tget_member_type(stored, member), hdf5.Tclose);
  return real_bytes(hdf5, type.get());
}

bool names_parts(const std::string& first, const std::string& second) {
  constexpr std::array<std::array<std::string_view, 2>, 3> known = {
      {{"r", "i"}, {"re", "im"}, {"real", "imag"}}};
  return std::ranges::any_of(
      known, [&](const auto& names) { return names[0] == first && names[1] == second; });
}

}  // namespace

std::optional<ElementType> element_type_of_hdf5(const Hdf5Library& hdf5, hid_t stored) {
  if (const std::size_t bytes = real_bytes(hdf5, stored))
    return bytes == sizeof(float) ? ElementType::float32 : ElementType::float64;
  if (hdf5.Tget_class(stored) != H5T_COMPOUND || hdf5.Tget_nmembers(stored) != 2)
    return std::nullopt;
  const std::size_t bytes = bytes_of_member(hdf5, stored, 0);
  if (bytes == 0 || bytes != bytes_of_member(hdf5, stored, 1) ||
      !names_parts(name_of_member(hdf5, stored, 0), name_of_member(hdf5, stored, 1)))
    return std::nullopt;
  return bytes == sizeof(float) ? ElementType::complex64 : ElementType::complex128;
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
