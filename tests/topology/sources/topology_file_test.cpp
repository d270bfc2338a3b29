#include "topology/sources/topology_file.hpp"

#include <cuboid/error.hpp>
#include <cuboid/recognition.hpp>

#include "tests/topology/sources/topology_files.hpp"
#include "topology/machine/topology_files.hpp"
#include "topology/slurm/hostlist.hpp"
#include "topology/slurm/slurm_topology.hpp"
#include "topology/sources/network_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace topology_file_test {

/// The one line that a file is refused with.
std::string complaint(const std::string& text) {
  try {
    parse_topology_file({"file", text});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse);
    const std::string line = error.what();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_LT(line.size(), 300U);
    return line;
  }
  return "accepted";
}

double gigabits(const Network& network, const std::string& a, const std::string& b) {
  for (const Link& link : network.links()) {
    if (network.name(link.from) == a && network.name(link.to) == b)
      return link.bytes_per_second * 8 / 1e9;
  }
  return -1;
}

TEST(NetworkFile, IsReadAndWrittenBack) {
  const TopologyFile file = parse_topology_file({"net.json", test::json_network});
  EXPECT_EQ(file.kind, TopologyFileKind::network_json);
  EXPECT_EQ(file.network.nodes(), 4);
  EXPECT_EQ(file.network.role(3), Role::network_switch);
  EXPECT_EQ(file.network.cables(), 4);
  EXPECT_DOUBLE_EQ(gigabits(file.network, "a", "b"), 0.1);
  EXPECT_DOUBLE_EQ(gigabits(file.network, "b", "c"), 0.02);
  EXPECT_DOUBLE_EQ(gigabits(file.network, "c", "a"), 0);
  const Network again = parse_network_file({"again", to_json(file.network)});
  ASSERT_EQ(again.nodes(), file.network.nodes());
  EXPECT_EQ(again.role(3), Role::network_switch);
  EXPECT_TRUE(std::ranges::equal(again.links(), file.network.links()));
}

TEST(NetworkFile, ComplaintsNameTheLineAndTheReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"nodes\": [\"a\",\n\"a\"], \"cables\": []}", "file:2: node \"a\" is listed twice"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [\n{\"ends\": [\"a\", \"x\"]}]}",
       "file:3: node \"x\" is not listed"},
      {"{\"nodes\": [\"a\"],\n\"cables\": [{\"ends\": [\"a\", \"a\"]}]}",
       "file:2: a cable from \"a\" to itself"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [{\"ends\": [\"a\", \"b\"], \"rate\": -5}]}",
       "file:2: a rate is"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [{\"ends\": [\"a\", \"b\"], \"rate\": 1e300}]}",
       "file:2: a rate is"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [{\"ends\": [\"a\", \"b\"], \"rate\": \"fast\"}]}",
       "file:2: a rate is"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [{\"ends\": [\"a\", \"b\"], \"rate\": \"0\"}]}",
       "file:2: a rate is"},
      {"{\"nodes\": [\"a\", \"b\"],\n\"cables\": [{\"ends\": [\"a\"]}]}",
       "file:2: a cable has two \"ends\""},
      {"{\"nodes\": [\"a\"],\n\"cable\": []}", "file:2: unknown key \"cable\""},
      {"{\"nodes\": [\"a\"],\n\"nodes\": []}", "file:2: the key \"nodes\" occurs twice"},
      {"{\"nodes\": []}", "file:1: \"nodes\" is empty"},
      {"{\"nodes\": [\"a\"]}", "file:1: the key \"cables\" is missing"},
      {"{\"nodes\": [\"a\",\n\n}", "file:3: malformed JSON"},
      {"{\"nodes\": " + std::string(100000, '['), "file:1: nested deeper"},
      {"{\"nodes\": [{\"name\": \"a\", \"role\": \"router\"}], \"cables\": []}",
       "file:1: the role is"},
      {"{\"nodes\": [7], \"cables\": []}", "file:1: expected an object"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(complaint(text).substr(0, expected.size()), expected) << text.substr(0, 200);
  }
}

TEST(Ibnetdiscover, FatTreeHostsSwitchesAndRates) {
  const TopologyFile file = parse_topology_file({"ib.txt", test::infiniband_fabric});
  EXPECT_EQ(file.kind, TopologyFileKind::ibnetdiscover);
  const Network& network = file.network;
  EXPECT_EQ(network.nodes(), 4);
  ASSERT_TRUE(network.find("node1") && network.find("node2") && network.find("leaf1") &&
              network.find("leaf2"));
  EXPECT_EQ(network.role(*network.find("node1")), Role::host);
  EXPECT_EQ(network.role(*network.find("leaf1")), Role::network_switch);
  // node1 has two adapters; the leaves are joined by two cables; the aggregation node is left out.
  EXPECT_EQ(network.cables(), 5);
  EXPECT_DOUBLE_EQ(gigabits(network, "node1", "leaf1"), 100);
  EXPECT_DOUBLE_EQ(gigabits(network, "leaf1", "leaf2"), 200);
  EXPECT_DOUBLE_EQ(gigabits(network, "leaf2", "node2"), 50);
  ASSERT_EQ(file.groups.size(), 2U);
  EXPECT_EQ(file.groups[0], (NodeGroup{"leaf1", 0, {*network.find("node1")}}));
}

TEST(Ibnetdiscover, ATorusOfSwitchesKeepsEverySwitchOnce) {
  const TopologyFile file = parse_topology_file({"ib.txt", test::infiniband_ring(5)});
  EXPECT_EQ(file.network.nodes(), 10);
  EXPECT_EQ(file.network.cables(), 10);
  EXPECT_EQ(file.groups.size(), 5U);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

TEST(Ibnetdiscover, HostsThatShareADescriptionAreSeveral) {
  std::string text = test::infiniband_ring(5);
  for (const char* name : {"\"n2 HCA-1\"", "\"n4 HCA-1\""}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, 10, "\"localhost HCA-1\"");
  }
  const Network network = parse_topology_file({"ib.txt", text}).network;
  EXPECT_EQ(network.nodes(), 10);
  EXPECT_EQ(recognise(network).shape, Shape::torus(std::array{5}));
}

TEST(Ibnetdiscover, ComplaintsNameTheLineAndTheReason) {
  const std::string good = test::infiniband_ring(3);
  const std::string port = "[1]\t\"S-0000000000000101\"[2]";
  EXPECT_NE(complaint(replaced(good, port, "[1]\t\"S-0000000000000999\"[2]"))
                .find("which is not described"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(good, port, "[1]\t\"S-0000000000000101\"[1]"))
                .find("which does not say so"),
            std::string::npos);
  EXPECT_NE(
      complaint(replaced(good, port, "[2]\t\"S-0000000000000101\"[2]")).find("described twice"),
      std::string::npos);
  EXPECT_NE(complaint(good + good).find("is described twice"), std::string::npos);
  EXPECT_NE(complaint(good + "surprise\n").find("not a line of ibnetdiscover's output"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(good, port, "[1]\t\"S-xyz\"[2]")).find("expected a quoted node"),
            std::string::npos);
}

/// Port 7 of the ring's first switch is cabled to its port 8.
std::string with_a_loop(const std::string& ring) {
  return replaced(ring, "[3]\t\"H-0000000000000100\"",
                  "[7]\t\"S-0000000000000100\"[8]\t\t# \"MF0;switch\" lid 1 4xQDR\n"
                  "[8]\t\"S-0000000000000100\"[7]\t\t# \"MF0;switch\" lid 1 4xQDR\n"
                  "[3]\t\"H-0000000000000100\"");
}

TEST(Ibnetdiscover, ACableFromASwitchToItselfIsADoubt) {
  const TopologyFile file = parse_topology_file({"ib.txt", with_a_loop(test::infiniband_ring(5))});
  EXPECT_EQ(file.network.cables(), 10);
  EXPECT_EQ(recognise(file.network).shape, Shape::torus(std::array{5}));
  ASSERT_EQ(file.doubts.size(), 1U);
  EXPECT_EQ(file.doubts[0],
            "ib.txt:4: S-0000000000000100 is cabled to itself: this cable is left out");
  EXPECT_NE(complaint(replaced(with_a_loop(test::infiniband_ring(5)), "[8]\t\"S-", "[9]\t\"S-"))
                .find("which does not say so"),
            std::string::npos);
}

TEST(Ibnetdiscover, WhatWasSaidOnStderrBeforeItIsADoubt) {
  for (const char* said : {"ibwarn: [4242] mad_rpc_open_port: can't open UMAD port (mlx5_1:1)\n",
                           "Can't init UMAD library\n[1] 4242\n"}) {
    for (const std::string& good :
         {test::infiniband_ring(5), "# Topology file\n" + test::infiniband_ring(5)}) {
      const TopologyFile file = parse_topology_file({"ib.txt", said + good});
      EXPECT_EQ(file.network.cables(), 10);
      ASSERT_EQ(file.doubts.size(), 1U);
      EXPECT_EQ(file.doubts[0].substr(0, 9), "ib.txt:1:");
      EXPECT_EQ(complaint("# Topology file\n" + (said + good)).substr(0, 7), "file:2:");
    }
  }
}

TEST(Slurm, ALeafBelowTwoCoresIsInBothGroups) {
  const SlurmTopology tree = parse_slurm_topology({"topology.conf", test::slurm_fat_tree});
  ASSERT_EQ(tree.groups.size(), 4U);
  for (const std::size_t core : {2, 3}) {
    EXPECT_EQ(tree.groups[core].level, 1);
    EXPECT_EQ(tree.groups[core].nodes.size(), 8U);
  }
  EXPECT_EQ(tree.network.cables(), 12);
}

TEST(Slurm, NodesAndSwitchesInCommonAreCountedOnce) {
  const SlurmTopology tree =
      parse_slurm_topology({"topology.conf",
                            "SwitchName=rail1 Nodes=n[1-2]\nSwitchName=rail2 Nodes=n[1-2]\n"
                            "SwitchName=a Switches=rail[1-2]\nSwitchName=b Switches=rail[1-2]\n"
                            "SwitchName=top Switches=a,b\n"});
  ASSERT_EQ(tree.groups.size(), 5U);
  EXPECT_EQ(tree.groups[4].name, "top");
  EXPECT_EQ(tree.groups[4].level, 2);
  EXPECT_EQ(tree.groups[4].nodes.size(), 2U);
}

TEST(Slurm, WhatScontrolShowsIsTheSame) {
  const SlurmTopology written = parse_slurm_topology({"topology.conf", test::slurm_fat_tree});
  const TopologyFile shown = parse_topology_file({"shown", test::scontrol_tree});
  EXPECT_EQ(shown.groups, written.groups);
  EXPECT_EQ(shown.network.cables(), written.network.cables());
  const SlurmTopology blocks = parse_slurm_topology({"shown", test::scontrol_blocks});
  ASSERT_EQ(blocks.groups.size(), 3U);
  EXPECT_EQ(blocks.groups[2].name, "b[1-2]");
  EXPECT_EQ(blocks.groups[2].level, 1);
  EXPECT_EQ(blocks.groups[2].nodes.size(), 8U);
}

TEST(Slurm, OfTopologyYamlTheDefaultIsRead) {
  const TopologyFile file = parse_topology_file({"topology.yaml", test::slurm_yaml});
  EXPECT_EQ(file.kind, TopologyFileKind::slurm_topology);
  ASSERT_EQ(file.groups.size(), 3U);
  EXPECT_EQ(file.groups[2].name, "root");
  EXPECT_EQ(file.groups[2].nodes.size(), 4U);
  const SlurmTopology blocks =
      parse_slurm_topology({"topology.yaml", replaced(test::slurm_yaml, "true", "false")});
  ASSERT_EQ(blocks.groups.size(), 3U);
  EXPECT_EQ(blocks.groups[2].name, "b1..b2");
}

TEST(Slurm, ComplaintsAboutYamlNameTheLineAndTheReason) {
  const std::string head = "- topology: t\n  tree:\n    switches:\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"- topology: t\n  flat: true\n", "file:1: this topology has neither a tree nor blocks"},
      {head + "      - switch: a\n        nodes: n1\n        colour: red\n",
       "file:6: unknown key \"colour\""},
      {head + "      - switch: a\n        nodes: n1\n       children: b\n", "file:6: indented"},
      {head + "      - switch: a\n          nodes: n1\n", "file:5: indented further"},
      {head + "      - switch: a\n        switch: b\n", "file:5: the key \"switch\" occurs twice"},
      {head + "      - switch: a\n        children: x\n", "file:4: switch \"x\" is not described"},
      {head + "      - switch: a\n\tnodes: n1\n", "file:5: a tab where YAML wants spaces"},
      {head + "      - &leaf\n", "file:4: a form of YAML that is not read here"},
      {head + "      - {switch: a, nodes: n1}\n", "file:4: a form of YAML that is not read here"},
      {head + "      - switch: \"a\n", "file:4: a quoted text that does not end"},
      {head + "      - : a\n", "file:4: expected KEY: VALUE"},
      {head + "      - switch: a\n        nodes: >\n          n1\n",
       "file:5: a form of YAML that is not read here"},
      {"- topology: t\n---\n- topology: u\n", "file:2: a second YAML document"},
      {"- topology: t\n  block:\n    block_sizes: [4, , 8]\n    blocks: []\n",
       "file:3: expected a list such as [4, 16]"},
      {"- topology: t\n  block:\n    block_sizes: [4\n", "file:3: [ without ]"},
      {"- topology:\n" + std::string(200, ' ') + "- " + std::string(20000, '-') + "\n",
       "file:1: this topology has neither"}};
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(complaint(text).substr(0, expected.size()), expected) << text;
  std::string deep = "- topology: ";
  for (int i = 0; i < 10000; ++i) deep += "- ";
  EXPECT_EQ(complaint(deep + "x\n").substr(0, 7), "file:1:");
}

/// Files in a folder of their own.
class IncludedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cuboid-topology-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string refusal(const std::string& path) {
    try {
      parse_topology_file(read_topology_file(path));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(IncludedFiles, AreReadInThePlaceOfTheLine) {
  write("leaves/a.conf", "SwitchName=leaf1 Nodes=n[1-2]\nInclude b.conf # beside it\n");
  write("leaves/b.conf", "SwitchName=leaf2 Nodes=n[3-4]\n");
  const std::string root =
      write("topology.conf", "include leaves/a.conf\n\nSwitchName=core Switches=leaf[1-2]\n");
  const TopologyFile file = parse_topology_file(read_topology_file(root));
  ASSERT_EQ(file.groups.size(), 3U);
  EXPECT_EQ(file.groups[2].nodes.size(), 4U);
  // The lines of a file that holds nothing else are of its kind, too.
  EXPECT_EQ(parse_topology_file(read_topology_file(write("only.conf", "Include leaves/b.conf\n")))
                .groups.size(),
            1U);
}

TEST_F(IncludedFiles, AreRefusedWhereTheyAreNamed) {
  const std::string missing = write("missing.conf", "SwitchName=a Nodes=n\nInclude nowhere.conf\n");
  EXPECT_NE(refusal(missing).find("missing.conf:2: the included file"), std::string::npos);
  const std::string circle = write("circle.conf", "Include circle.conf\nSwitchName=a Nodes=n\n");
  EXPECT_NE(refusal(circle).find("is included twice"), std::string::npos) << refusal(circle);
  for (int i = 0; i < 20; ++i)
    write("deep" + std::to_string(i), "Include deep" + std::to_string(i + 1) + "\n");
  const std::string deep = write("deep.conf", "Include deep0\n");
  EXPECT_NE(refusal(deep).find("levels of Include lines"), std::string::npos) << refusal(deep);
  write("bad", "SwitchName=b Nodes=[\n");
  const std::string bad = write("with_bad.conf", "Include bad\n");
  EXPECT_NE(refusal(bad).find("bad:1: host list"), std::string::npos) << refusal(bad);
}

TEST(Slurm, TreeBecomesGroupsByLevel) {
  const TopologyFile file = parse_topology_file({"topology.conf", test::slurm_tree});
  EXPECT_EQ(file.kind, TopologyFileKind::slurm_topology);
  ASSERT_EQ(file.groups.size(), 4U);
  EXPECT_EQ(file.groups[0].name, "s0");
  EXPECT_EQ(file.groups[0].level, 0);
  EXPECT_EQ(file.groups[0].nodes.size(), 4U);
  EXPECT_EQ(file.groups[3].name, "s3");
  EXPECT_EQ(file.groups[3].level, 1);
  EXPECT_EQ(file.groups[3].nodes.size(), 10U);
  EXPECT_TRUE(file.network.find("tux07"));
  EXPECT_EQ(file.network.cables(), 13);
}

TEST(Slurm, BlocksAndTheirAggregations) {
  const SlurmTopology topology = parse_slurm_topology({"topology.conf", test::slurm_blocks});
  ASSERT_EQ(topology.groups.size(), 6U);
  EXPECT_EQ(topology.groups[0].nodes.size(), 4U);
  EXPECT_EQ(topology.groups[4].name, "b1..b2");
  EXPECT_EQ(topology.groups[4].level, 1);
  EXPECT_EQ(topology.groups[4].nodes.size(), 8U);
  EXPECT_EQ(topology.network.cables(), 0);
}

TEST(Slurm, ComplaintsNameTheLineAndTheReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
       "file:1: switch \"a\" is below itself"},
      {"SwitchName=a Switches=a\n", "file:1: switch \"a\" is below itself"},
      {"SwitchName=a Nodes=n1,n1\n", "file:1: \"n1\" occurs twice below one switch"},
      {"SwitchName=a Nodes=n1\n\nSwitchName=n1 Nodes=n2\n", "file:3: \"n1\" occurs twice"},
      {"SwitchName=a Nodes=a\n", "file:1: \"a\" is a switch's name, too"},
      {"SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "file:2: \"a\" occurs twice"},
      {"SwitchName=a Switches=x\n", "file:1: switch \"x\" is not described"},
      {"SwitchName=a Switches=n\nSwitchName=b Nodes=n\n", "file:1: switch \"n\" is not described"},
      {"SwitchName=a Nodes=n\nSwitchName=b Switches=a,a\n", "file:2: switch \"a\" occurs twice"},
      {"SwitchName=a Nodes=n Switches=b\n", "file:1: a switch needs either"},
      {"BlockName=a Nodes=n\nAggregatedBlock=a Nodes=m BlockSize=8\n",
       "file:2: node \"m\" is in no block"},
      {"SwitchName=a Nodes=n[0-999999999999]\n", "file:1: host list"},
      {"SwitchName=a Nodes=n[0-99999999999999999999999999]\n", "file:1: host list"},
      {"SwitchName=a Nodes=n[0-999][0-999][0-999][0-999][0-999][0-999]\n", "file:1: host list"},
      {"SwitchName=a Nodes=n[0-1048575]\nSwitchName=b Nodes=m\n", "file:2: host list"},
      {"SwitchName=a Nodes=n[3-1]\n", "file:1: host list \"3-1\": the range ends before it begins"},
      {"SwitchName=a Nodes=n[3\n", "file:1: host list \"n[3\": [ without ]"},
      {"SwitchName=a Nodes=\n", "file:1: a switch needs either"},
      {"SwitchName=a\n", "file:1: a switch needs either"},
      {"SwitchName=a Color=red\n", "file:1: unknown key \"Color\""},
      {"SwitchName=a Nodes=n Nodes=m\n", "file:1: \"nodes\" is given twice"},
      {"SwitchName=a Nodes=n\nBlockName=b Nodes=m\n",
       "file:2: a file describes switches or blocks"},
      {"BlockName=a Nodes=n\nBlockSizes=0\n", "file:2: expected BlockSizes"},
      {"BlockName=a Nodes=n\nBlockSizes=4,12\n", "file:2: block sizes must grow"},
      {"BlockName=a Nodes=n\nBlockName=b Nodes=n\n", "file:2: node \"n\" is in two blocks"}};
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(complaint(text).substr(0, expected.size()), expected) << text;
}

TEST(Slurm, ALongChainOfSwitchesIsRefused) {
  std::string text = "SwitchName=s0 Nodes=n\n";
  for (int i = 1; i < 1000; ++i)
    text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  EXPECT_NE(complaint(text).find("levels of switches"), std::string::npos);
}

TEST(Slurm, AddressesBecomeGroups) {
  const auto groups =
      groups_of_addresses({"top.l1.n1", "top.l2.n2.cluster", "top.l1.n3"}, "switch.switch.node");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0], (NodeGroup{"top.l1", 0, {0, 2}}));
  EXPECT_EQ(groups[1], (NodeGroup{"top.l2", 0, {1}}));
  EXPECT_EQ(groups[2], (NodeGroup{"top", 1, {0, 1, 2}}));
  EXPECT_THROW(groups_of_addresses({"n1"}, "switch.node"), Error);
}

TEST(Hostlist, Expands) {
  EXPECT_EQ(expand_hostlist("a,n[1-2,08-10],r[0-1]c[1,3]x", 100),
            (std::vector<std::string>{"a", "n1", "n2", "n08", "n09", "n10", "r0c1x", "r0c3x",
                                      "r1c1x", "r1c3x"}));
  EXPECT_THROW(expand_hostlist("n[1-4]", 3), Error);
  EXPECT_THROW(expand_hostlist("a,,b", 10), Error);
  EXPECT_THROW(expand_hostlist("n]1", 10), Error);
  EXPECT_THROW(expand_hostlist("n[a-b]", 10), Error);
}

TEST(TopologyFile, OfNoKindIsRefused) {
  EXPECT_NE(complaint("").find("neither a network"), std::string::npos);
  EXPECT_NE(complaint(std::string(1 << 20, '\0')).find("neither a network"), std::string::npos);
  EXPECT_NE(complaint("hello\n").find("neither a network"), std::string::npos);
}

TEST(TextFile, ThatCannotBeRead) {
  EXPECT_THROW(read_text_file("/nonexistent/file"), Error);
  EXPECT_THROW(read_text_file("/"), Error);
  EXPECT_NE(read_text_file("/proc/self/status").text, "");
}

}  // namespace topology_file_test
}  // namespace cuboid::detail
