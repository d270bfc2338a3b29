#pragma once

#include <cuboid/element.hpp>

#include "mm/files/hdf5_library.hpp"
#include "mm/matrix/stored_numbers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The element type that can hold the elements of a dataset without loss (see element_type_for());
/// nullopt if there is none. A complex number consists of two real numbers of one kind, with the
/// names of a real and an imaginary part. Needs an Hdf5Turn.
std::optional<ElementType> element_type_of_hdf5(const Hdf5Library& hdf5, hid_t stored);

/// The kind of a dataset's elements, in words for messages. Needs an Hdf5Turn.
std::string words_for_elements(const Hdf5Library& hdf5, hid_t stored);

/// The HDF5 type of an element in this machine's memory. Needs an Hdf5Turn.
/// @param stored  the type from which the members of complex numbers get their names;
///                H5I_INVALID_HID for h5py's names.
Hdf5Handle type_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored);

/// The type to which HDF5 converts a dataset's numbers when it reads them, and the meaning of these
/// numbers: they are elements, or integers of 64 bits, each of which convert_in_place() checks.
struct NumbersInMemory {
  Hdf5Handle type;
  StoredNumbers stored;
};
NumbersInMemory numbers_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored);

/// A block of a matrix: consecutive rows and columns.
struct Rectangle {
  std::int64_t row = 0, column = 0;
  std::int64_t rows = 0, columns = 0;

  bool operator==(const Rectangle&) const = default;
};

/// The rectangles that consist of `count` elements from `first` on in row-major order: the rest of
/// a row, whole rows, the beginning of a row.
std::vector<Rectangle> rectangles_of(std::int64_t first, std::int64_t count, std::int64_t columns);

}  // namespace cuboid::detail
