#pragma once

#include <cuboid/element.hpp>

#include "mm/files/hdf5_library.hpp"
#include "mm/matrix/stored_numbers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The element type that holds what a dataset has without loss, as element_type_for() says; nullopt
/// where none does. Complex numbers are two real numbers of one kind, with the names of a
/// real and an imaginary part. In a turn.
std::optional<ElementType> element_type_of_hdf5(const Hdf5Library& hdf5, hid_t stored);

/// What a dataset has, in words for messages. In a turn.
std::string words_for_elements(const Hdf5Library& hdf5, hid_t stored);

/// An element as this machine has it in memory. In a turn.
/// @param stored  whose names complex numbers' members get; H5I_INVALID_HID for h5py's.
Hdf5Handle type_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored);

/// What HDF5 converts a dataset's numbers to when it reads them, and what these are: elements, but
/// integers of 64 bits, which convert_in_place() is to look at one by one.
struct NumbersInMemory {
  Hdf5Handle type;
  StoredNumbers stored;
};
NumbersInMemory numbers_in_memory(const Hdf5Library& hdf5, ElementType type, hid_t stored);

/// Rows and columns that are next to each other.
struct Rectangle {
  std::int64_t row = 0, column = 0;
  std::int64_t rows = 0, columns = 0;

  bool operator==(const Rectangle&) const = default;
};

/// The rectangles that make up `count` elements from `first` on in row-major order: the rest of a
/// row, whole rows, the beginning of a row.
std::vector<Rectangle> rectangles_of(std::int64_t first, std::int64_t count, std::int64_t columns);

}  // namespace cuboid::detail
