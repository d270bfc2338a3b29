#pragma once

#include "mm/files/hdf5_library.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The attributes of a dataset, such as units, to be given to another that takes its place. Made,
/// used and ended in a turn.
class Hdf5Attributes {
 public:
  explicit Hdf5Attributes(const Hdf5Library& hdf5) : hdf5_(hdf5) {}
  ~Hdf5Attributes();
  Hdf5Attributes(const Hdf5Attributes&) = delete;
  Hdf5Attributes& operator=(const Hdf5Attributes&) = delete;

  /// Returns true if all could be read, or written.
  bool read_from(hid_t dataset);
  bool write_to(hid_t dataset) const;

 private:
  struct Attribute {
    std::string name;
    Hdf5Handle type, in_memory, space;
    std::vector<std::byte> values;
  };
  bool read_one(hid_t opened);

  const Hdf5Library& hdf5_;
  std::vector<Attribute> all_;
};

}  // namespace cuboid::detail
