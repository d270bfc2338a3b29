// What one rank keeps of a world of very many, without the others.

#include <cuboid/bootstrap.hpp>
#include <cuboid/communicator.hpp>

#include "collectives/bootstrap/blob.hpp"
#include "collectives/node/single_copy.hpp"
#include "topology/machine/report.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

namespace cuboid::detail {
namespace world_memory_test {

using Bytes = std::vector<std::byte>;

// All others say what this rank says, each from a host of its own with a long name.
class LoneBootstrap : public Bootstrap {
 public:
  explicit LoneBootstrap(int size) : size_(size) {}

  int rank() const override { return 0; }  // the one that speaks for all
  int size() const override { return size_; }

  std::vector<Bytes> allgather(std::span<const std::byte> mine) override {
    const int exchange = exchanges_++;
    std::vector<Bytes> all;
    for (int rank = 0; rank < size_; ++rank) {
      if (exchange == peer_information) {
        all.push_back(information(mine, rank));
      } else if (exchange == addresses) {
        all.push_back(address(mine, rank));
      } else if (exchange == reports) {
        all.push_back(report(mine, rank));
      } else {
        all.emplace_back(mine.begin(), mine.end());
      }
    }
    return all;
  }

 private:
  // The exchanges in which hosts are named, and UCX's addresses exchanged.
  static constexpr int peer_information = 0;
  static constexpr int addresses = 1;
  static constexpr int reports = 2;

  static std::string host(int rank) { return fmt::format("node-{:06}.cluster.example", rank); }

  static Bytes information(std::span<const std::byte> mine, int rank) {
    BlobReader read(mine);
    read.text();
    read.text();
    const std::string machine = read.text();
    BlobWriter written;
    written.add(host(rank));
    written.add(host(rank) + "/ipc:[4026531839]");
    written.add(fmt::format("{}-{}", machine, rank));
    for (int left = 0; left < 4; ++left) written.add(read.take());
    return written.bytes();
  }

  // Of UCX 1.13's addresses with shared memory and two networks of TCP these bytes differ between
  // processes of two hosts: who it is, its process and its host, internet addresses and ports.
  static Bytes address(std::span<const std::byte> mine, int rank) {
    struct Run {
      std::size_t first;
      std::size_t length;
    };
    constexpr Run differing[] = {{1, 8},   {30, 8},  {60, 8},  {76, 6},
                                 {105, 6}, {137, 1}, {174, 1}, {211, 1}};
    BlobReader read(mine);
    const std::string refusal = read.text();
    auto bytes = read.vector<std::byte>();
    std::mt19937 random(static_cast<unsigned>(rank));
    for (const auto& [first, length] : differing) {
      for (std::size_t i = first; rank > 0 && i < std::min(first + length, bytes.size()); ++i)
        bytes[i] = static_cast<std::byte>(random());
    }
    BlobWriter written;
    written.add(refusal);
    written.add(bytes);
    return written.bytes();
  }

  static Bytes report(std::span<const std::byte> mine, int rank) {
    LocalReport report = report_from_bytes(mine);
    report.host.name = host(rank);
    return to_bytes(report);
  }

  int size_;
  int exchanges_ = 0;
};

double megabytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

double megabytes_of_world(int size, const char* topology) {
  Environment environment = Environment::read();
  environment.topology = topology;
  environment.parameters = "none";
  const double before = megabytes_in_use();
  const Communicator world(std::make_unique<LoneBootstrap>(size), environment);
  EXPECT_EQ(world.size(), size);
  EXPECT_FALSE(world.same_node(size - 1));
  EXPECT_EQ(world.host(size - 1), fmt::format("node-{:06}.cluster.example", size - 1));
  return megabytes_in_use() - before;
}

// What UCX takes whatever the number of ranks is no matter of the world's size.
TEST(WorldMemory, OfManyRanksIsSmall) {
#ifdef CUBOID_SANITIZED
  GTEST_SKIP() << "a sanitizer's malloc does not say what is in use";
#endif
  const double few = megabytes_of_world(4, "torus:4@1gbit");
  const double many = megabytes_of_world(65536, "torus:32x32x64@1gbit");
  RecordProperty("megabytes_of_4", std::to_string(few));
  RecordProperty("megabytes_of_65536", std::to_string(many));
  EXPECT_LT(many - few, 16) << many << " and " << few;
}

}  // namespace world_memory_test
}  // namespace cuboid::detail
