#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "tests/topology/shape/shapes.hpp"
#include "topology/shape/rate.hpp"

#include <cmath>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace shape_spec_test {

std::string error_of(std::string_view text) {
  try {
    const ShapeSpec spec = parse_shape(text);
    return "no error: " + to_string(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse);
    return error.what();
  }
}

/// The same lines are a test of the lab's parser.
TEST(Rate, IsReadAsTheTableSays) {
  std::ifstream table(CUBOID_RATES);
  int lines = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string text = line.substr(0, tab), meaning = line.substr(tab + 1);
    const std::optional<double> rate = parse_rate(text);
    if (meaning == "refused") {
      EXPECT_EQ(rate, std::nullopt) << line;
    } else {
      ASSERT_TRUE(rate) << line;
      EXPECT_DOUBLE_EQ(*rate * 8, std::stod(meaning)) << line;
    }
    ++lines;
  }
  EXPECT_GT(lines, 30);
  EXPECT_EQ(parse_rate("0"), 0);
}

TEST(Rate, IsShownInBitsWithAUnit) {
  EXPECT_EQ(rounded_rate(14.0625e9 * 64 / 66 * 4 / 8), "54.55gbit");
  EXPECT_EQ(rounded_rate(50e9), "400gbit");
  EXPECT_EQ(rounded_rate(12.5e6), "100mbit");
  EXPECT_EQ(rounded_rate(1e12), "8tbit");
  EXPECT_EQ(rounded_rate(0.01), "0.08bit");
}

TEST(Rate, IsWrittenShortAndReadsBack) {
  EXPECT_EQ(rate_to_string(12.5e6), "100mbit");
  EXPECT_EQ(rate_to_string(125e6), "1gbit");
  EXPECT_EQ(rate_to_string(50e9), "400gbit");
  EXPECT_EQ(rate_to_string(1), "8bit");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(0, 12);
  for (int i = 0; i < 1000; ++i) {
    const double rate = std::pow(10, exponent(random));
    EXPECT_EQ(parse_rate(rate_to_string(rate)), rate);
  }
}

TEST(ShapeSpec, ReadsEveryKind) {
  EXPECT_EQ(parse_shape("torus:8x8x8").shape, Shape::torus(std::vector{8, 8, 8}));
  EXPECT_EQ(parse_shape("mesh:4x4").shape, Shape::mesh(std::vector{4, 4}));
  EXPECT_EQ(parse_shape("torus:4x3,mesh:2").shape, Shape({{4, true}, {3, true}, {2, false}}));
  EXPECT_EQ(parse_shape("hypercube:4").shape, Shape::hypercube(4));
  EXPECT_EQ(parse_shape("ring:8").shape, Shape({{8, true}}));
  EXPECT_EQ(parse_shape("node").shape, Shape());
}

TEST(ShapeSpec, ReadsRates) {
  using Rates = std::vector<double>;
  EXPECT_EQ(parse_shape("torus:4x4").bytes_per_second, (Rates{0, 0}));
  EXPECT_EQ(parse_shape("torus:4x4@100mbit").bytes_per_second, (Rates{12.5e6, 12.5e6}));
  EXPECT_EQ(parse_shape("torus:4x4@100mbit/50mbit").bytes_per_second, (Rates{12.5e6, 6.25e6}));
  EXPECT_EQ(parse_shape("torus:4x4@1MB/s/400").bytes_per_second, (Rates{1e6, 50}));
  EXPECT_EQ(parse_shape("torus:4x4@400/1MB/s").bytes_per_second, (Rates{50, 1e6}));
  EXPECT_EQ(parse_shape("torus:4@64,mesh:2x3@8/16").bytes_per_second, (Rates{8, 1, 2}));
  EXPECT_EQ(parse_shape("torus:4,mesh:2x3@8").bytes_per_second, (Rates{0, 1, 1}));
}

TEST(ShapeSpec, EveryShapeReadsBack) {
  for (const Shape& shape : shapes_up_to(36, 3)) {
    ShapeSpec spec{shape, std::vector<double>(shape.axes().size(), 0.0)};
    EXPECT_EQ(parse_shape(to_string(spec)), spec) << to_string(spec);
    EXPECT_EQ(to_string(spec), shape.to_string());
    for (std::size_t axis = 0; axis < spec.bytes_per_second.size(); ++axis) {
      spec.bytes_per_second[axis] = 1e6 * static_cast<double>(axis % 2);
      EXPECT_EQ(parse_shape(to_string(spec)), spec) << to_string(spec);
    }
  }
}

TEST(ShapeSpec, ErrorsNamePositionValueAndRemedy) {
  EXPECT_EQ(error_of("torus:4xx4"),
            "shape \"torus:4xx4\", character 9: nothing: write extents >= 1 joined by x, e.g. "
            "torus:4x3");
  EXPECT_EQ(error_of("torus:4,cube:3"),
            "shape \"torus:4,cube:3\", character 9: \"cube:3\": write torus:, mesh:, hypercube: or "
            "ring: and the extents, e.g. torus:4x4");
  EXPECT_EQ(error_of("torus:4x4@100mbt"),
            "shape \"torus:4x4@100mbt\", character 11: \"100mbt\": write a rate such as 100mbit, "
            "1.5GB/s or a number of bits per second");
  EXPECT_NE(error_of("torus:4x4@0mbit").find("the rate must be greater than 0"), std::string::npos);
  EXPECT_EQ(
      error_of("torus:4x4x4@1/2"),
      "shape \"torus:4x4x4@1/2\", character 13: \"1/2\": 2 rates for 3 axes; give one for all "
      "or one each");
}

TEST(ShapeSpec, RefusesWhatIsNoShape) {
  for (const char* text : {"",
                           ",",
                           "torus",
                           "torus:",
                           "torus:0",
                           "torus:-4",
                           "torus:4x",
                           "torus:4.5",
                           "torus:4 x4",
                           "torus:99999999999",
                           "torus:65536x65536",
                           "mesh:1x1x1x1x1x1x1x1x1",
                           "hypercube:9",
                           "hypercube:2x2",
                           "hypercube:999999999",
                           "ring:4x4",
                           "ring:0",
                           "node:4",
                           "torus:4@",
                           "torus:4@/",
                           "torus:4@1/",
                           "torus:4@-1",
                           "torus:4,",
                           ",torus:4",
                           "Torus:4",
                           "torus:4@1MB/"}) {
    EXPECT_EQ(error_of(text).substr(0, 6), "shape ") << text;
  }
}

TEST(ShapeSpec, JunkGivesOneShortLine) {
  std::mt19937_64 random(7);
  const std::string alphabet = "torusmehingcyp:x,@/0123456789 \n\t\x01\xff";
  for (std::size_t length = 0; length < 5000; length += 13) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
    const std::string message = error_of("torus:" + text);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_LT(message.size(), 400U);
  }
}

}  // namespace shape_spec_test
}  // namespace cuboid::detail
