#include "mm/files/hdf5_attributes.hpp"

#include <utility>

namespace cuboid::detail {

namespace {
/// The most bytes of an attribute. No attribute that describes a matrix has more, but a damaged
/// file may claim it.
constexpr std::size_t most_bytes = 64 << 20;
}  // namespace

Hdf5Attributes::~Hdf5Attributes() {
  // The library allocated the values that have no fixed length, such as text.
  for (Attribute& one : all_) {
    if (!one.values.empty())
      hdf5_.Dvlen_reclaim(one.in_memory.get(), one.space.get(), H5P_DEFAULT, one.values.data());
  }
}

bool Hdf5Attributes::read_one(hid_t opened) {
  Hdf5Handle type(hdf5_.Aget_type(opened), hdf5_.Tclose);
  Hdf5Handle space(hdf5_.Aget_space(opened), hdf5_.Sclose);
  Hdf5Handle in_memory(hdf5_.Tget_native_type(type.get(), H5T_DIR_DEFAULT), hdf5_.Tclose);
  const auto elements = hdf5_.Sget_simple_extent_npoints(space.get());
  const auto length = hdf5_.Aget_name(opened, 0, nullptr);
  if (!in_memory.is_open() || elements < 0 || length < 0) return false;
  const std::size_t bytes = hdf5_.Tget_size(in_memory.get());
  if (bytes == 0 || static_cast<std::size_t>(elements) > most_bytes / bytes) return false;
  std::string name(static_cast<std::size_t>(length), ' ');
  hdf5_.Aget_name(opened, name.size() + 1, name.data());
  std::vector<std::byte> values(static_cast<std::size_t>(elements) * bytes);
  if (!values.empty() && hdf5_.Aread(opened, in_memory.get(), values.data()) < 0) return false;
  all_.push_back({std::move(name), std::move(type), std::move(in_memory), std::move(space),
                  std::move(values)});
  return true;
}

bool Hdf5Attributes::read_from(hid_t dataset) {
  const int attributes = hdf5_.Aget_num_attrs(dataset);
  for (int number = 0; number < attributes; ++number) {
    const Hdf5Handle opened(
        hdf5_.Aopen_by_idx(dataset, ".", H5_INDEX_NAME, H5_ITER_INC, static_cast<hsize_t>(number),
                           H5P_DEFAULT, H5P_DEFAULT),
        hdf5_.Aclose);
    if (!opened.is_open() || !read_one(opened.get())) return false;
  }
  return attributes >= 0;
}

bool Hdf5Attributes::write_to(hid_t dataset) const {
  for (const Attribute& one : all_) {
    const Hdf5Handle made(hdf5_.Acreate2(dataset, one.name.c_str(), one.type.get(), one.space.get(),
                                         H5P_DEFAULT, H5P_DEFAULT),
                          hdf5_.Aclose);
    if (!made.is_open()) return false;
    if (!one.values.empty() && hdf5_.Awrite(made.get(), one.in_memory.get(), one.values.data()) < 0)
      return false;
  }
  return true;
}

}  // namespace cuboid::detail
