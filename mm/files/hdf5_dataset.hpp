#pragma once

#include <cuboid/element.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// What is known of a matrix in an HDF5 file. HDF5 keeps matrices in row-major order.
struct Hdf5Description {
  ElementType type = ElementType::float64;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// True if a file that begins with `bytes` declares itself HDF5.
constexpr bool is_hdf5(std::string_view bytes) {
  return bytes.starts_with("\x89HDF\r\n\x1a\n");
}

/// A dataset open for reading, by the HDF5 library: in any storage (chunked, compressed, …) and
/// byte order that it knows.
class Hdf5Dataset {
 public:
  /// Throws Error(unsupported) where Cuboid was built without HDF5, Error(io), Error(parse) for
  /// what is no matrix of numbers that an element type holds, Error(invalid_argument) without a
  /// name; all with the path.
  Hdf5Dataset(const std::string& file, const std::string& dataset);
  ~Hdf5Dataset();
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;

  const Hdf5Description& description() const;

  /// Reads elements of the dataset's type that lie one after the other, in row-major order. Throws
  /// Error(io), and Error(parse) for integers that the type cannot hold exactly.
  void read(std::span<std::byte> elements, std::int64_t first) const;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

/// Makes an HDF5 file without datasets of a file that is there. Throws Error(unsupported),
/// Error(io).
void create_hdf5_file(const std::string& file);

/// Puts a dataset without elements into an HDF5 file, in the place of an older
/// dataset of that name, whose attributes it takes over; makes the groups that it lies in. The
/// elements belong one after the other in row-major order, as they are in memory, at the byte
/// returned; complex numbers have members "r" and "i", as h5py's. Throws Error(unsupported),
/// Error(parse), Error(io), and Error(invalid_argument) where the name is a group's.
std::uint64_t create_hdf5_dataset(const std::string& file, const std::string& dataset,
                                  const Hdf5Description& description);

/// Checks, as far as possible beforehand, what create_hdf5_dataset() would throw for a file that
/// may be there already. Changes nothing.
void check_hdf5_writable(const std::string& file, const std::string& dataset);

}  // namespace cuboid::detail
