#include <cuboid/environment.hpp>

#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace log_test {

// What a logger of `level` writes when it is told something of every kind.
std::string said_at(LogLevel level) {
  const Logger logger(level, 3);
  testing::internal::CaptureStderr();
  logger.warn("look out");
  logger.info("by the way");
  logger.debug("in detail");
  return testing::internal::GetCapturedStderr();
}

TEST(Logger, EachLevelIncludesThoseBeforeIt) {
  const std::string warning = "cuboid[3]: warn: look out\n";
  const std::string info = "cuboid[3]: info: by the way\n";
  const std::string debug = "cuboid[3]: debug: in detail\n";
  EXPECT_EQ(said_at(LogLevel::error), "");
  EXPECT_EQ(said_at(LogLevel::warn), warning);
  EXPECT_EQ(said_at(LogLevel::info), warning + info);
  EXPECT_EQ(said_at(LogLevel::debug), warning + info + debug);
}

TEST(Logger, SaysBeforehandWhatItWouldWrite) {
  const Logger logger(LogLevel::info, 0);
  EXPECT_TRUE(logger.enabled(LogLevel::error));
  EXPECT_TRUE(logger.enabled(LogLevel::warn));
  EXPECT_TRUE(logger.enabled(LogLevel::info));
  EXPECT_FALSE(logger.enabled(LogLevel::debug));
  EXPECT_EQ(logger.level(), LogLevel::info);
}

TEST(Logger, WarnsUnlessToldOtherwise) {
  EXPECT_EQ(Logger().level(), LogLevel::warn);
}

TEST(Logger, MessagesAreNotFormats) {
  testing::internal::CaptureStderr();
  Logger().warn("100% {} %s %n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cuboid[0]: warn: 100% {} %s %n\n");
}

}  // namespace log_test
}  // namespace cuboid::detail
