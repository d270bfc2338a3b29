#pragma once

#include <cuboid/element.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The description of a matrix in an HDF5 file. HDF5 stores matrices in row-major order.
struct Hdf5Description {
  ElementType type = ElementType::float64;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// True if a file that begins with `bytes` declares itself HDF5.
constexpr bool is_hdf5(std::string_view bytes) {
  return bytes.starts_with("\x89HDF\r\n\x1a\n");
}

/// A dataset that is open for reading by the HDF5 library. It may have any storage (chunked,
/// compressed, …) and byte order that the library knows.
class Hdf5Dataset {
 public:
  /// Throws Error(unsupported) if Cuboid was built without HDF5, Error(io), Error(parse) if the
  /// dataset is not a matrix of numbers that an element type can hold, Error(invalid_argument) if
  /// `dataset` is empty; all with the path.
  Hdf5Dataset(const std::string& file, const std::string& dataset);
  ~Hdf5Dataset();
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;

  const Hdf5Description& description() const;

  /// Reads consecutive elements, in row-major order, in the dataset's type. Throws Error(io), and
  /// Error(parse) for integers that the type cannot hold exactly.
  /// @param first  the index of the first element.
  void read(std::span<std::byte> elements, std::int64_t first) const;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

/// Makes an existing file an HDF5 file without datasets. Throws Error(unsupported), Error(io).
void create_hdf5_file(const std::string& file);

/// Creates a dataset without elements in an HDF5 file, and the groups that contain it. If there is
/// a dataset of that name, the new one replaces it and takes over its attributes. Returns the byte
/// at which the elements belong: in sequence, in row-major order, as they are in memory. Complex
/// numbers have members "r" and "i", as h5py's. Throws Error(unsupported), Error(parse), Error(io),
/// and Error(invalid_argument) if the name is the name of a group.
std::uint64_t create_hdf5_dataset(const std::string& file, const std::string& dataset,
                                  const Hdf5Description& description);

/// Throws, as far as that is known beforehand, what create_hdf5_dataset() would throw for a file
/// that may exist already. Changes nothing.
void check_hdf5_writable(const std::string& file, const std::string& dataset);

}  // namespace cuboid::detail
