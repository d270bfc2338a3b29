#include "bindings/dropin/settings.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail::drop_in {
namespace settings_test {

MpiSettings with(const std::map<std::string, std::string>& variables) {
  return MpiSettings::read([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(DropInSettings, TakeOverWhatIsQuickerByDefault) {
  const MpiSettings settings = with({});
  EXPECT_EQ(settings.mode, MpiSettings::Mode::on);
  for (const std::size_t least : settings.least_bytes) {
    EXPECT_GT(least, 0u);
    EXPECT_LT(least, MpiSettings::none);
  }
  EXPECT_FALSE(settings.counts);
}

TEST(DropInSettings, AreReadFromTheEnvironment) {
  const MpiSettings settings = with({{"CUBOID_MPI", "force"},
                                     {"CUBOID_MPI_OPERATIONS", "bcast,reduce_scatter_block"},
                                     {"CUBOID_LOG", "info"}});
  EXPECT_TRUE(settings.force());
  EXPECT_EQ(std::ranges::count(settings.least_bytes, MpiSettings::none), calls_in_all - 2);
  EXPECT_EQ(settings.least(Called::bcast), 0u);
  EXPECT_EQ(settings.least(Called::reduce_scatter_block), 0u);
  EXPECT_TRUE(settings.counts);
}

TEST(DropInSettings, SwitchItOff) {
  const MpiSettings settings = with({{"CUBOID_MPI", "off"}, {"CUBOID_MPI_OPERATIONS", "bcast"}});
  EXPECT_EQ(settings.mode, MpiSettings::Mode::off);
  EXPECT_EQ(settings.least(Called::bcast), MpiSettings::none);
  EXPECT_EQ(MpiSettings().least(Called::bcast), MpiSettings::none);
}

TEST(DropInSettings, ThatMakeNoSenseAreRefused) {
  EXPECT_THROW(with({{"CUBOID_MPI", "perhaps"}}), Error);
  EXPECT_THROW(with({{"CUBOID_MPI_OPERATIONS", "bcast,broadcast"}}), Error);
  EXPECT_THROW(with({{"CUBOID_MPI_OPERATIONS", "bcast,"}}), Error);
}

TEST(DropInSettings, NameEveryCall) {
  for (std::size_t i = 0; i < calls_in_all; ++i) {
    const auto called = static_cast<Called>(i);
    EXPECT_EQ(called_by(name_of(called)), called);
  }
  EXPECT_EQ(called_by("alltoallw"), std::nullopt);
}

}  // namespace settings_test
}  // namespace cuboid::detail::drop_in
