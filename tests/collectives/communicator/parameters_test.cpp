#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "collectives/bootstrap/thread_bootstrap.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "models/messages/parameters_file.hpp"

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {
namespace parameters_test {

namespace fs = std::filesystem;

constexpr int ranks = 3;

/// A folder of its own, and an environment whose cache it is.
class ParametersFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("cuboid-parameters-" + std::to_string(getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    environment_.cache_folder = folder_.string();
    run_ranks(
        ranks,
        [&](const Communicator& world) {
          if (world.rank() == 0) key_ = parameters_key(world);
        },
        Environment{});
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  fs::path file(const std::string& text) const {
    write(folder_ / "p.json", text);
    return folder_ / "p.json";
  }
  Parameters measured() const {
    Parameters parameters;
    parameters.key = key_;
    parameters.within_node = MeasuredMessages::of({.alpha = 7e-6, .beta = 5e-9});
    parameters.message_overhead = exactly(3e-6);
    parameters.context_switch = exactly(4e-6);
    return parameters;
  }
  fs::path cached() const { return *cached_parameters_path(key_, environment_); }

  /// Whether all ranks see the measured numbers; fails where only some do.
  bool in_use() const {
    std::atomic<int> seen = 0;
    run_ranks(
        ranks,
        [&](const Communicator& world) {
          const GroupCostModel& cost_model = world.state().cost_model;
          if (cost_model.node.alpha == 7e-6) ++seen;
        },
        environment_);
    EXPECT_TRUE(seen == 0 || seen == ranks) << seen;
    return seen == ranks;
  }

  /// What the world's making throws.
  Error refusal() const {
    try {
      run_ranks(
          ranks, [](const Communicator&) {}, environment_);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "nothing was thrown");
  }

  fs::path folder_;
  Environment environment_;
  ParametersKey key_;
};

TEST_F(ParametersFileTest, NoFileIsNoMatter) {
  EXPECT_FALSE(in_use());
  environment_.cache_folder.reset();
  EXPECT_FALSE(in_use());
  EXPECT_EQ(cached_parameters_path(key_, environment_), std::nullopt);
}

TEST_F(ParametersFileTest, TheCacheIsUsedUnlessAnotherFileIsNamed) {
  write(cached(), to_json(measured()));
  EXPECT_TRUE(in_use());
  environment_.parameters = "none";
  EXPECT_FALSE(in_use());
  Parameters other = measured();
  other.within_node.reset();
  environment_.parameters = file(to_json(other)).string();
  EXPECT_FALSE(in_use());
}

TEST_F(ParametersFileTest, ANamedFileIsUsedByChildrenToo) {
  environment_.parameters = file(to_json(measured())).string();
  run_ranks(
      ranks,
      [](const Communicator& world) {
        for (const Communicator& child : {world.split(world.rank() % 2), world.duplicate(),
                                          world.with_algorithms(""), world.duplicate().shrink()}) {
          const GroupCostModel& cost_model = child.state().cost_model;
          EXPECT_EQ(cost_model.memory().message.alpha, 7e-6);
          EXPECT_EQ(cost_model.memory().message.beta, 5e-9);
          EXPECT_EQ(cost_model.memory().overhead, 3e-6);
          EXPECT_EQ(cost_model.memory().context_switch, 4e-6);
          std::array sum = {1};
          allreduce(child, sum, sum, Reduction::Kind::sum);
          EXPECT_EQ(sum[0], child.size());
        }
      },
      environment_);
}

TEST_F(ParametersFileTest, ThoseOfAnotherMachineAreNotUsed) {
  Parameters others = measured();
  others.key.hosts[0].ranks = ranks + 1;
  environment_.parameters = file(to_json(others)).string();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(in_use());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("other hosts or ranks"), std::string::npos) << said;
  EXPECT_NE(said.find("bench --calibrate"), std::string::npos) << said;
  EXPECT_EQ(said.find("warn"), said.rfind("warn")) << said;  // once, by rank 0

  others = measured();
  others.key.cables.push_back({"a", "b", 1e9});
  environment_.parameters.reset();
  write(cached(), to_json(others));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(in_use());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("other cables"), std::string::npos);
}

TEST_F(ParametersFileTest, JunkInANamedFileIsRefusedWithItsLine) {
  std::string text = to_json(measured());
  const std::string path = file(text.replace(text.find("alpha_seconds"), 13, "alpha_us")).string();
  environment_.parameters = path;
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::parse);
  EXPECT_EQ(std::string(error.what()).rfind(path + ":", 0), 0U) << error.what();
  EXPECT_NE(std::string(error.what()).find("unknown key \"alpha_us\""), std::string::npos)
      << error.what();
  environment_.parameters = (folder_ / "missing.json").string();
  EXPECT_EQ(refusal().code(), ErrorCode::io);
}

TEST_F(ParametersFileTest, EveryRankRefusesAlike) {
  environment_.parameters = file("junk").string();
  const auto meeting = std::make_shared<ThreadMeetingPoint>(ranks, environment_.timeout);
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const Communicator world(std::make_unique<ThreadBootstrap>(meeting, rank), environment_);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::parse) ++refused;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, ranks);
}

TEST_F(ParametersFileTest, JunkInTheCacheIsLeftAlone) {
  write(cached(), "{\"version\": 1}");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(in_use());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("this build reads version 8"), std::string::npos) << said;
  EXPECT_EQ(said.find("warn"), said.rfind("warn")) << said;
}

TEST_F(ParametersFileTest, ACacheThatCannotBeLookedIntoIsLeftAlone) {
  environment_.cache_folder = "/" + std::string(5000, 'x');  // no system's paths are as long
  EXPECT_FALSE(in_use());
}

TEST_F(ParametersFileTest, TheyAreNamedOnceAtLevelInfo) {
  write(cached(), to_json(measured()));
  environment_.log_level = LogLevel::info;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(in_use());
  const std::string said = testing::internal::GetCapturedStderr();
  const auto at = said.find("parameters: " + cached().string());
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(at, said.rfind("parameters: ")) << said;
}

TEST(GroupCostModel, MeasuredNumbersGoBeforeBuiltInOnes) {
  GroupNodes nodes = GroupNodes::apart(4);
  const GroupCostModel unknown = group_cost_model_of(nodes, 1, nullptr);
  EXPECT_GT(unknown.network.alpha, unknown.node.alpha);
  nodes.link_bytes_per_second = 1e7;
  EXPECT_EQ(group_cost_model_of(nodes, 1, nullptr).network.beta, 1e-7);

  Parameters parameters;
  parameters.between_nodes = MeasuredMessages::of({.alpha = 5e-5, .beta = 1.02e-7});
  EXPECT_EQ(group_cost_model_of(nodes, 2, &parameters).network.beta, 1.02e-7);
  EXPECT_EQ(group_cost_model_of(nodes, 1, &parameters).network.alpha, 5e-5);
  EXPECT_DOUBLE_EQ(group_cost_model_of(nodes, 3, &parameters).network.alpha,
                   5e-5 + 2 * unknown.context_switch);
  EXPECT_EQ(group_cost_model_of(nodes, 2, &parameters).node.alpha, unknown.node.alpha);
  EXPECT_EQ(group_cost_model_of(nodes, 2, &parameters).context_switch, unknown.context_switch);
  EXPECT_EQ(group_cost_model_of(nodes, 2, &parameters).memory().ranks_per_core, 2);

  parameters.between_nodes->send_overhead = exactly(2e-6);
  parameters.between_nodes->receive_overhead = exactly(3e-6);
  // Four ranks: on cores of their own, all at once; on half a core each, woken for every message.
  EXPECT_DOUBLE_EQ(group_cost_model_of(nodes, 1, &parameters).core_seconds(100, 8e5),
                   100 * 5e-6 / 4);
  EXPECT_GT(group_cost_model_of(nodes, 2, &parameters).core_seconds(100, 8e5), 100 * 5e-6 / 2);
  // Measured with all ranks awake: by length, and context switches beside.
  parameters.crowded_network = {{8, 6e-6}, {8000, 16e-6}};
  parameters.network_context_switch = exactly(20e-6);
  EXPECT_NEAR(group_cost_model_of(nodes, 2, &parameters).core_seconds(100, 800), 100 * 11e-6 / 2,
              1e-9);
  EXPECT_NEAR(group_cost_model_of(nodes, 2, &parameters).core_seconds(100, 8e5), 100 * 21e-6 / 2,
              1e-9);
  EXPECT_EQ(group_cost_model_of(nodes, 2, &parameters).core_seconds(0, 0), 0);
  EXPECT_NEAR(group_cost_model_of(nodes, 3, &parameters).network.alpha, 5e-5 + 2 * 20e-6, 1e-12);

  // A part of the machine with slower cables than those that were measured.
  parameters.cable_bytes_per_second = 1e7;
  nodes.link_bytes_per_second = 2e6;
  EXPECT_DOUBLE_EQ(group_cost_model_of(nodes, 1, &parameters).network.beta, 5.1e-7);
}

TEST(GroupCostModel, MemoryIsAsQuickAsWhatRanksTouchOfIt) {
  const GroupNodes nodes = GroupNodes::one_node(2);
  const auto messages = [](double first, double second) {
    MeasuredMessages found = MeasuredMessages::of({.alpha = 1e-6, .beta = 9e-9});
    found.sizes = {{8, 1e-6}, {500, 1e-6 + first}, {1000, 1e-6 + first}, {2000, 1e-6 + second}};
    return found;
  };
  Parameters parameters;
  parameters.within_node = messages(1e-6, 4e-6);
  parameters.within_crowded_node = messages(2e-6, 8e-6);
  parameters.within_node_fresh = messages(4e-6, 16e-6);
  parameters.combine = exactly(7e-9);
  parameters.message_overhead = exactly(1e-7);
  GroupCostModel cost_model = group_cost_model_of(nodes, 1, &parameters);
  EXPECT_EQ(cost_model.memory().message.beta, 9e-9);
  EXPECT_EQ(cost_model.memory().combine_beta, 7e-9);
  EXPECT_EQ(cost_model.memory().copy_beta, 7e-9);  // not measured: as slow as adding up

  // Half of what a rank touches is another's, half its own; a quarter of what is passed on.
  const NodeMemory small = cost_model.memory(2000);
  EXPECT_DOUBLE_EQ(small.message.beta, 1e-9);
  EXPECT_DOUBLE_EQ(small.crowded_beta, 2e-9);
  EXPECT_DOUBLE_EQ(small.fresh_beta, 4e-9);
  const NodeMemory greater = cost_model.memory(4000);
  EXPECT_DOUBLE_EQ(greater.message.beta, 2e-9);
  EXPECT_DOUBLE_EQ(greater.crowded_beta, 4e-9);
  EXPECT_DOUBLE_EQ(greater.fresh_beta, 4e-9);
  EXPECT_DOUBLE_EQ(cost_model.memory(8000).fresh_beta, 8e-9);
  // Short messages cost more than their bytes.
  EXPECT_DOUBLE_EQ(greater.overhead, 1e-7);
  const NodeMemory in_pieces = cost_model.memory(4000, 500);
  EXPECT_DOUBLE_EQ(in_pieces.overhead, 1e-7 + 0.5e-6);
  EXPECT_DOUBLE_EQ(in_pieces.crowded_overhead, 1e-7 + 1e-6);
  EXPECT_DOUBLE_EQ(in_pieces.fresh_overhead, 1e-7 + 2e-6);
  EXPECT_DOUBLE_EQ(in_pieces.message.beta, greater.message.beta);

  cost_model.combine_sizes = {{1000, 1e-6}, {2000, 3e-6}};
  EXPECT_DOUBLE_EQ(cost_model.memory(4000).combine_beta, 1e-9);
  EXPECT_DOUBLE_EQ(cost_model.memory(4000).copy_beta, 1e-9);
  cost_model.copy_sizes = {{1000, 1e-6}, {2000, 2e-6}};
  EXPECT_DOUBLE_EQ(cost_model.memory(4000).copy_beta, 0.5e-9);
}

}  // namespace parameters_test
}  // namespace cuboid::detail
