#include "topology/machine/tofu_coordinate.hpp"

#include <cuboid/shape.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace tofu_coordinate_test {

class Tofu : public testing::Test {
 protected:
  Tofu() : library_(dlopen(CUBOID_STAND_IN_FOR_FUJITSU_MPI, RTLD_NOW | RTLD_LOCAL)) {}
  ~Tofu() override { dlclose(library_); }

  std::optional<HandedCoordinate> read() const {
    return read_tofu_coordinate([this](const char* name) { return dlsym(library_, name); });
  }
  int& set(const char* name) const { return *static_cast<int*>(dlsym(library_, name)); }

  void* library_;
};

TEST_F(Tofu, TellsThePlaceAndTheTorus) {
  ASSERT_NE(library_, nullptr) << dlerror();
  set("stand_in_rank") = 4 * 3 + 4 * 2 + 3;  // in the third axis 1
  const auto handed = read();
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->coordinate, (Coordinate{3, 2, 1}));
  EXPECT_EQ(handed->shape->shape.to_string(), "torus:4x3x2");
  EXPECT_EQ(parse_shape(to_string(*handed->shape)).shape, handed->shape->shape);
}

TEST_F(Tofu, HasFewerDimensions) {
  set("stand_in_rank") = 7;
  set("stand_in_dimension") = 2;
  EXPECT_EQ(read()->coordinate, (Coordinate{3, 1}));
  EXPECT_EQ(read()->shape->shape.to_string(), "torus:4x3");
  set("stand_in_dimension") = 1;
  EXPECT_EQ(read()->shape->shape.to_string(), "torus:4");
}

TEST_F(Tofu, IsSilentWhereItDoesNotKnow) {
  set("stand_in_initialised") = 0;
  EXPECT_FALSE(read());
  set("stand_in_initialised") = 1;
  set("stand_in_refusal") = 1;
  EXPECT_FALSE(read());
  set("stand_in_refusal") = 0;
  set("stand_in_dimension") = 6;
  EXPECT_FALSE(read());
  set("stand_in_dimension") = 3;
  set("stand_in_shape") = -1;
  EXPECT_FALSE(read());
}

TEST_F(Tofu, IsNotHere) {
  EXPECT_FALSE(read_tofu_coordinate(find_loaded_symbol));
  EXPECT_FALSE(read_tofu_coordinate([](const char*) { return nullptr; }));
}

}  // namespace tofu_coordinate_test
}  // namespace cuboid::detail
