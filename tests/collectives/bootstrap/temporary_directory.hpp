#pragma once

#include "tests/collectives/on_ranks.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cuboid::detail {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "cuboid-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Wrong("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cuboid::detail
