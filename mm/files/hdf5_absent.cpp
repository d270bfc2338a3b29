// Takes the place of the HDF5 files of this folder in a build without HDF5.

#include <cuboid/error.hpp>

#include "mm/files/hdf5_dataset.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void refuse(const std::string& file) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: this Cuboid was built without HDF5: install Debian's "
                          "libhdf5-openmpi-dev (or another HDF5) and configure it again",
                          file));
}

}  // namespace

struct Hdf5Dataset::Open {
  Hdf5Description description;
};

Hdf5Dataset::Hdf5Dataset(const std::string& file, const std::string&) {
  refuse(file);
}
Hdf5Dataset::~Hdf5Dataset() = default;
const Hdf5Description& Hdf5Dataset::description() const {
  return open_->description;
}
void Hdf5Dataset::read(std::span<std::byte>, std::int64_t) const {}

std::uint64_t create_hdf5_dataset(const std::string& file, const std::string&,
                                  const Hdf5Description&) {
  refuse(file);
}

void create_hdf5_file(const std::string& file) {
  refuse(file);
}

void check_hdf5_writable(const std::string& file, const std::string&) {
  refuse(file);
}

}  // namespace cuboid::detail
