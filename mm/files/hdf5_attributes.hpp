#pragma once

#include "mm/files/hdf5_library.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The attributes of a dataset, such as units. They are copied to the dataset that replaces it. The
/// object is made, used and destroyed in one Hdf5Turn.
class Hdf5Attributes {
 public:
  explicit Hdf5Attributes(const Hdf5Library& hdf5) : hdf5_(hdf5) {}
  ~Hdf5Attributes();
  Hdf5Attributes(const Hdf5Attributes&) = delete;
  Hdf5Attributes& operator=(const Hdf5Attributes&) = delete;

  /// Reads, or writes, all attributes. Returns true if that succeeded for all of them.
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
