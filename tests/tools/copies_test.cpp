#include "collectives/ucx/ucx_settings.hpp"
#include "tools/experiment/experiment_table.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace copies_test {

// Over TCP Cuboid tells UCX to copy, so a variant without copies has to say otherwise.
TEST(Experiments, ZeroCopyIsNotWhatCuboidSetsAnyway) {
  const auto own = settings_of({"tcp/eth0"}, {});
  const auto copies = std::ranges::find(own, std::string("UCX_ZCOPY_THRESH"), &Setting::variable);
  ASSERT_NE(copies, own.end());
  const std::string with_copies = std::string(copies->variable) + "=" + copies->value;
  int without = 0;
  for (const Variant& one : find_experiment("srumma-fig9")->variants) {
    const bool copying = one.name.starts_with("copying");
    EXPECT_TRUE(one.variables.starts_with("UCX_ZCOPY_THRESH=")) << one.name;
    EXPECT_EQ(one.variables == with_copies, copying) << one.name;
    without += copying ? 0 : 1;
  }
  EXPECT_EQ(without, 2);
}

}  // namespace copies_test
}  // namespace cuboid::detail::tools
