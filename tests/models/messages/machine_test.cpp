#include "models/messages/machine.hpp"

#include <cuboid/error.hpp>

#include "models/messages/parameters_file.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace machine_test {

/// A file that is there as long as the test.
class File {
 public:
  explicit File(const std::string& text)
      : path_(testing::TempDir() + "machine_test_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string reason(const std::string& name) {
  try {
    machine_named(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Machine, NamesAreFoundAndDiffer) {
  std::set<std::string> names;
  for (const Machine& machine : named_machines()) {
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
    EXPECT_EQ(machine_named(machine.name).source, machine.source);
    EXPECT_GT(machine.between_nodes.byte_gap, 0) << machine.name;
    EXPECT_GT(machine.between_nodes.latency, 0) << machine.name;
    if (machine.shape) {
      EXPECT_EQ(static_cast<double>(machine.shape->nodes()), machine.nodes) << machine.name;
    }
  }
  EXPECT_EQ(find_machine("abacus"), nullptr);
}

TEST(Machine, BlueGenePIsThatOf004) {
  const Machine bgp = machine_named("bgp");
  EXPECT_DOUBLE_EQ(bgp.between_nodes.latency, 0.8e-6);
  EXPECT_DOUBLE_EQ(bgp.between_nodes.send_overhead, 0.4e-6);
  EXPECT_DOUBLE_EQ(bgp.link_bytes_per_second(), 375e6);
  EXPECT_DOUBLE_EQ(bgp.flops_per_second, 13.6e9);
}

TEST(Machine, ExascaleIsThatOf004) {
  const Machine exascale = machine_named("exascale");
  EXPECT_DOUBLE_EQ(exascale.nodes * exascale.flops_per_second, 1e18);
  EXPECT_DOUBLE_EQ(exascale.nodes * exascale.memory_bytes, 32e15);
  EXPECT_DOUBLE_EQ(exascale.between_nodes.byte_gap, 0.06e-9);
}

TEST(Machine, AFileOfMeasuredParametersIsOneToo) {
  Parameters parameters;
  parameters.key.hosts = {{"left", 1}, {"right", 1}};
  parameters.between_nodes = MeasuredMessages::of({.alpha = 5e-6, .beta = 1e-9});
  const File file(to_json(parameters));
  const Machine machine = machine_named(file.path());
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_DOUBLE_EQ(message_seconds(machine.between_nodes, 1000), 6e-6);
  EXPECT_FALSE(machine.within_node);
  EXPECT_EQ(machine.source, "measured between left and right, 2 ranks");
}

TEST(Machine, WithoutANetworkTheNodeStandsForIt) {
  Parameters parameters;
  parameters.key.hosts = {{"left", 2}};
  parameters.within_node = MeasuredMessages::of({.alpha = 1e-6, .beta = 1e-10});
  const Machine machine = machine_of(parameters, "here");
  EXPECT_DOUBLE_EQ(message_seconds(machine.between_nodes, 0), 1e-6);
  EXPECT_EQ(machine.source, "measured within left, 2 ranks");
  parameters.within_node.reset();
  EXPECT_THROW(machine_of(parameters, "here"), Error);
}

TEST(Machine, RanksOfANodeShareIt) {
  const Machine whole = machine_named("piz-daint"), share = whole.shared_by(36);
  EXPECT_EQ(whole.cores_per_node, 36);
  EXPECT_DOUBLE_EQ(share.flops_per_second, 16 * 3.3e9);
  EXPECT_DOUBLE_EQ(share.memory_bytes, whole.memory_bytes / 36);
  EXPECT_DOUBLE_EQ(share.link_bytes_per_second(), 10.2e9 / 36);
  // One rank alone has the link; a torus without a known limit of its nodes has its links.
  EXPECT_DOUBLE_EQ(whole.shared_by(1).link_bytes_per_second(), 10.2e9);
  EXPECT_DOUBLE_EQ(machine_named("bgp").shared_by(4).link_bytes_per_second(), 375e6);
}

TEST(Machine, JunkIsRefusedWithLineAndReason) {
  EXPECT_NE(reason("abacus").find("bgp"), std::string::npos) << reason("abacus");
  const File junk("{\n  \"version\": 1,\n  \"bandwidth\": 10\n}\n");
  EXPECT_NE(reason(junk.path()).find(":2: this build reads version"), std::string::npos)
      << reason(junk.path());
  EXPECT_NE(reason(testing::TempDir()).find("director"), std::string::npos)
      << reason(testing::TempDir());
}

}  // namespace machine_test
}  // namespace cuboid::detail
