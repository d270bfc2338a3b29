#include "mm/files/matrix_path.hpp"

#include "mm/files/hdf5_dataset.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <ios>
#include <system_error>

namespace cuboid::detail {

namespace {

constexpr std::array<std::string_view, 2> extensions = {".h5", ".hdf5"};

}  // namespace

bool is_hdf5_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // opening a pipe would wait
  std::ifstream file(path, std::ios::binary);
  // A user block has 512 bytes, or 1024, 2048, …
  for (std::streamoff offset = 0; file; offset = std::max<std::streamoff>(512, 2 * offset)) {
    std::array<char, 8> beginning{};
    file.seekg(offset);
    file.read(beginning.data(), beginning.size());
    if (file && is_hdf5({beginning.data(), beginning.size()})) return true;
  }
  return false;
}

std::optional<std::string> file_before_colon(std::string_view path) {
  std::error_code error;
  for (std::size_t colon = path.find(':'); colon != path.npos; colon = path.find(':', colon + 1)) {
    std::string file(path.substr(0, colon));
    if (std::filesystem::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

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
  const auto ends_so = [&](std::string_view end) { return file.ends_with(end); };
  return std::ranges::any_of(extensions, ends_so) || is_hdf5_file(file);
}

}  // namespace cuboid::detail
