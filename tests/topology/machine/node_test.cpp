#include <cuboid/node.hpp>

#include "topology/machine/cpu_quota.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace cuboid::detail {
namespace node_test {

/// Two packages of two NUMA nodes of two cores.
Node eight_cores() {
  Node node;
  node.packages = 2;
  node.numa_nodes = 4;
  for (int core = 0; core < 8; ++core) node.cores.push_back({core / 4, core / 2, core / 4});
  return node;
}

TEST(Node, ThisMachineHasCoresAndWeMayUseSome) {
  const NodeAndBinding here = read_node();
  ASSERT_FALSE(here.node.cores.empty());
  ASSERT_FALSE(here.binding.cores.empty());
  EXPECT_TRUE(std::ranges::is_sorted(here.binding.cores));
  EXPECT_LT(here.binding.cores.back(), static_cast<int>(here.node.cores.size()));
  EXPECT_GE(here.binding.usable_cores, 1);
  EXPECT_LE(here.binding.usable_cores, static_cast<int>(here.binding.cores.size()));
  for (const Core& core : here.node.cores) EXPECT_LT(core.package, here.node.packages);
}

TEST(Node, BindingIsThatOfTheThread) {
  const Node whole = read_node().node;
  Binding bound;
  Node seen;
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    sched_setaffinity(0, sizeof set, &set);
    const NodeAndBinding here = read_node();
    bound = here.binding;
    seen = here.node;
  }).join();
  EXPECT_EQ(bound.cores.size(), 1U);
  EXPECT_EQ(bound.usable_cores, 1);
  EXPECT_EQ(seen, whole) << "the node must not depend on the binding";
}

TEST(Node, RanksShareWhatHoldsAllTheirCores) {
  const std::vector<Binding> bindings = {
      {{0, 1}, 2}, {{1}, 1}, {{2, 3}, 2}, {{4, 5, 6, 7}, 4}, {{3, 4}, 2}};
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(ranks_sharing(Sharing::core, eight_cores(), bindings), Groups{});
  EXPECT_EQ(ranks_sharing(Sharing::numa, eight_cores(), bindings), (Groups{{0, 1}}));
  EXPECT_EQ(ranks_sharing(Sharing::package, eight_cores(), bindings), (Groups{{0, 1, 2}}));
  EXPECT_EQ(ranks_sharing(Sharing::node, eight_cores(), bindings), (Groups{{0, 1, 2, 3, 4}}));
}

TEST(Node, IsDescribedInOneLine) {
  Node node = eight_cores();
  node.memory_bytes = std::int64_t{64} << 30;
  node.caches = {{1, 32 << 10, 8}};
  EXPECT_EQ(to_string(node), "2 packages, 4 NUMA nodes, 8 cores, 64 GiB; 8 x L1 32 KiB");
  EXPECT_EQ(ranges_to_string(std::vector{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(ranges_to_string(std::vector<int>{}), "");
}

/// A control-group file system in a temporary folder.
class CpuQuota : public ::testing::Test {
 protected:
  // Several of these tests may run at once.
  CpuQuota() : root_(::testing::TempDir() + "cuboid_cpu_quota_" + std::to_string(getpid())) {
    std::filesystem::remove_all(root_);
  }
  ~CpuQuota() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  int quota() const { return cpu_quota(root_ / "fs", root_ / "own"); }

 private:
  std::filesystem::path root_;
};

TEST_F(CpuQuota, NoneWhereNothingIsSet) {
  EXPECT_EQ(quota(), 0);
  write("own", "0::/a\n");
  EXPECT_EQ(quota(), 0);
  write("fs/a/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0);
}

TEST_F(CpuQuota, TheTightestOfAllGroupsAround) {
  write("own", "0::/a/b/c\n");
  write("fs/a/cpu.max", "250000 100000\n");
  write("fs/a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 2);
  write("fs/a/b/c/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 1);
}

TEST_F(CpuQuota, InsideAContainerTheRootIsOurs) {
  write("own", "0::/\n");
  write("fs/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, VersionOne) {
  write("own", "7:memory:/x\n4:cpu,cpuacct:/a\n");
  write("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
  write("fs/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 4);
  write("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota(), 0);
}

}  // namespace node_test
}  // namespace cuboid::detail
