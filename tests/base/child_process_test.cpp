#include "base/child_process.hpp"

#include <cuboid/error.hpp>

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace child_process_test {

constexpr std::chrono::minutes ample{1};

TEST(ChildProcess, TellsBothOutputsAndTheExitCode) {
  const ChildResult child =
      run_child({"sh", "-c", "echo $GREETING; echo no >&2; exit 3"}, {"GREETING=hello"}, ample);
  EXPECT_EQ(child.output, "hello\n");
  EXPECT_EQ(child.errors, "no\n");
  EXPECT_EQ(child.exit_code, 3);
  EXPECT_FALSE(child.done());
  EXPECT_TRUE(run_child({"true"}, {}, ample).done());
}

TEST(ChildProcess, IsEndedAtTheLimit) {
  const ChildResult child = run_child({"sleep", "1000"}, {}, std::chrono::seconds(0));
  EXPECT_TRUE(child.timed_out);
  EXPECT_FALSE(child.done());
}

TEST(ChildProcess, ThatCannotBeStartedIsNamed) {
  try {
    run_child({"no-such-program"}, {}, ample);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find("no-such-program"), std::string::npos);
  }
}

}  // namespace child_process_test
}  // namespace cuboid::detail
