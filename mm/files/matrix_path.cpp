#include "mm/files/matrix_path.hpp"

#include <array>

namespace cuboid::detail {

namespace {

constexpr std::array<std::string_view, 2> extensions = {".h5", ".hdf5"};

}  // namespace

MatrixPath MatrixPath::of(std::string_view path) {
  for (std::size_t colon = path.find(':'); colon != path.npos; colon = path.find(':', colon + 1)) {
    MatrixPath parts{std::string(path.substr(0, colon))};
    if (!parts.is_hdf5()) continue;
    parts.dataset = path.substr(colon + 1);
    if (!parts.dataset.starts_with('/')) parts.dataset.insert(0, 1, '/');
    return parts;
  }
  return {std::string(path)};
}

bool MatrixPath::is_hdf5() const {
  for (const std::string_view extension : extensions) {
    if (file.ends_with(extension)) return true;
  }
  return false;
}

}  // namespace cuboid::detail
