#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>
#include <cuboid/recognition.hpp>

#include "tests/topology/sources/topology_files.hpp"
#include "topology/discovery/discover_from.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

// Good files, damaged in many ways from a fixed seed: each must be read or refused with one line,
// never crash. Run it with the address sanitizer.

namespace cuboid::detail {
namespace malformed_file_test {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) {
  return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

std::string damaged(std::string text, Random& random) {
  const std::size_t hits = 1 + below(random, 4);
  for (std::size_t hit = 0; hit < hits; ++hit) {
    const std::size_t at = below(random, text.size());
    const std::size_t length = below(random, 30);
    switch (below(random, 6)) {
      case 0: text.insert(at, 1, static_cast<char>(below(random, 256))); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(below(random, text.size()), length)); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, "-99999999999999999999"); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(below(random, 256));
    }
  }
  return text;
}

/// Whether the file was accepted. A file that is accepted describes a network that holds together.
bool survives(const std::string& text) {
  try {
    const Discovery discovery = describe_file({"fuzz", text});
    if (discovery.recognition) {
      EXPECT_TRUE(reproduces(discovery.network, *discovery.recognition)) << text;
    }
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse) << error.what() << "\n" << text;
    const std::string line = error.what();
    EXPECT_EQ(line.rfind("fuzz:", 0), 0U) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    return false;
  }
}

void damage_many_times(const std::string& good, unsigned seed) {
  ASSERT_TRUE(survives(good));
  Random random(seed);
  int refused = 0;
  constexpr int tries = 1500;
  for (int i = 0; i < tries; ++i) refused += survives(damaged(good, random)) ? 0 : 1;
  // Most damage must be noticed; some, in comments and names, cannot be.
  EXPECT_GT(refused, tries / 10);
}

TEST(MalformedFile, NetworkInJson) {
  damage_many_times(test::json_network, 1);
}
TEST(MalformedFile, Ibnetdiscover) {
  damage_many_times(test::infiniband_fabric, 2);
}
TEST(MalformedFile, IbnetdiscoverRing) {
  damage_many_times(test::infiniband_ring(4), 3);
}
TEST(MalformedFile, SlurmTree) {
  damage_many_times(test::slurm_tree, 4);
}
TEST(MalformedFile, SlurmBlocks) {
  damage_many_times(test::slurm_blocks, 5);
}

TEST(MalformedFile, SlurmAsShown) {
  damage_many_times(test::scontrol_tree, 7);
  damage_many_times(test::scontrol_blocks, 8);
}
TEST(MalformedFile, SlurmYaml) {
  damage_many_times(test::slurm_yaml, 9);
}

TEST(MalformedFile, MegabytesOfJunk) {
  Random random(6);
  std::string junk(std::size_t{8} << 20, '\0');
  for (char& c : junk) c = static_cast<char>(below(random, 256));
  EXPECT_FALSE(survives(junk));
  EXPECT_FALSE(survives("{" + junk));
  EXPECT_FALSE(survives("SwitchName=" + junk));
  EXPECT_FALSE(survives("- topology: " + junk));
  EXPECT_FALSE(survives("Switch\t36 \"S-" + junk));
  EXPECT_FALSE(survives(std::string(std::size_t{8} << 20, '[')));
  EXPECT_FALSE(survives("{\"nodes\":" + std::string(std::size_t{8} << 20, '[')));
}

}  // namespace malformed_file_test
}  // namespace cuboid::detail
