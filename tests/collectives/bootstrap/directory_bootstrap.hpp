#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/error.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

/// For processes that no launcher has started: every rank leaves its blob in a file of a directory
/// that all of them see.
class DirectoryBootstrap : public Bootstrap {
 public:
  DirectoryBootstrap(std::filesystem::path directory, int rank, int size)
      : directory_(std::move(directory)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    const int round = round_++;
    const auto being_written = directory_ / fmt::format("{}.{}.part", round, rank_);
    std::ofstream(being_written, std::ios::binary)
        .write(reinterpret_cast<const char*>(mine.data()), std::ssize(mine));
    std::filesystem::rename(being_written, file_of(round, rank_));

    std::vector<std::vector<std::byte>> blobs;
    for (int peer = 0; peer < size_; ++peer) blobs.push_back(read(file_of(round, peer)));
    return blobs;
  }

 private:
  std::filesystem::path file_of(int round, int rank) const {
    return directory_ / fmt::format("{}.{}", round, rank);
  }
  static std::vector<std::byte> read(const std::filesystem::path& path) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!std::filesystem::exists(path)) {
      if (std::chrono::steady_clock::now() > patience)
        throw Error(ErrorCode::timeout, "a rank did not come");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  }

  std::filesystem::path directory_;
  int rank_;
  int size_;
  int round_ = 0;
};

}  // namespace cuboid::detail
