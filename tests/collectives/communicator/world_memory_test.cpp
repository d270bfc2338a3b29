// What one rank keeps of a world of very many, without the others.

#include <cuboid/bootstrap.hpp>
#include <cuboid/communicator.hpp>

#include "collectives/bootstrap/blob.hpp"
#include "collectives/node/single_copy.hpp"
#include "topology/machine/report.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

namespace cuboid::detail {
namespace {

using Bytes = std::vector<std::byte>;

// All others say what this rank says, each from a host of its own with a long name.
class LoneBootstrap : public Bootstrap {
 public:
  // The length of an address of UCX's is left in `address_bytes`.
  LoneBootstrap(int size, std::size_t& address_bytes)
      : size_(size), address_bytes_(address_bytes) {}

  int rank() const override { return 0; }  // the one that speaks for all
  int size() const override { return size_; }

  std::vector<Bytes> allgather(std::span<const std::byte> mine) override {
    const int exchange = exchanges_++;
    if (exchange == addresses) address_bytes_ = mine.size();
    std::vector<Bytes> all;
    for (int rank = 0; rank < size_; ++rank) {
      if (exchange == introductions) {
        all.push_back(introduction(mine, rank));
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
  static constexpr int introductions = 0;
  static constexpr int addresses = 2;
  static constexpr int reports = 3;

  static std::string host(int rank) { return fmt::format("node-{:06}.cluster.example", rank); }

  static Bytes introduction(std::span<const std::byte> mine, int rank) {
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

  static Bytes report(std::span<const std::byte> mine, int rank) {
    LocalReport report = report_from_bytes(mine);
    report.host.name = host(rank);
    return to_bytes(report);
  }

  int size_;
  int exchanges_ = 0;
  std::size_t& address_bytes_;
};

double megabytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

struct Kept {
  double megabytes = 0;
  double of_addresses = 0;  // of these
};

Kept kept_of_world(int size, const char* topology) {
  Environment environment = Environment::read();
  environment.topology = topology;
  environment.parameters = "none";
  const double before = megabytes_in_use();
  std::size_t address_bytes = 0;
  const Communicator world(std::make_unique<LoneBootstrap>(size, address_bytes), environment);
  EXPECT_EQ(world.size(), size);
  EXPECT_FALSE(world.same_node(size - 1));
  EXPECT_EQ(world.host(size - 1), fmt::format("node-{:06}.cluster.example", size - 1));
  return {megabytes_in_use() - before, static_cast<double>(address_bytes) * size / (1 << 20)};
}

// What UCX takes whatever the number of ranks is no matter of the world's size. Its addresses are
// as long as the machine has networks.
TEST(WorldMemory, OfManyRanksIsSmall) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's malloc does not say what is in use";
#endif
  const Kept few = kept_of_world(4, "torus:4@1gbit");
  const Kept many = kept_of_world(65536, "torus:32x32x64@1gbit");
  RecordProperty("megabytes_of_4", std::to_string(few.megabytes));
  RecordProperty("megabytes_of_65536", std::to_string(many.megabytes));
  RecordProperty("megabytes_of_addresses", std::to_string(many.of_addresses));
  EXPECT_LT(many.megabytes - many.of_addresses - few.megabytes, 16)
      << many.megabytes << " with " << many.of_addresses << " of addresses, and " << few.megabytes;
}

}  // namespace
}  // namespace cuboid::detail
