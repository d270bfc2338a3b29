#include <cuboid/error.hpp>

#include "base/page_text.hpp"
#include "tools/command/command.hpp"
#include "tools/command/memory.hpp"
#include "tools/command/watchdog.hpp"
#include "tools/mm/mm_options.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <chrono>
#include <complex>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace cuboid::detail::tools {
namespace command_parts_test {

using Complex = std::complex<double>;

TEST(Number, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_number("--alpha", "2"), Complex(2, 0));
  EXPECT_EQ(parse_number("--alpha", "-1.5e3"), Complex(-1500, 0));
  EXPECT_EQ(parse_number("--alpha", "1+2i"), Complex(1, 2));
  EXPECT_EQ(parse_number("--alpha", "1e-3-2.5e+1i"), Complex(1e-3, -25));
  EXPECT_EQ(parse_number("--alpha", "+4j"), Complex(0, 4));
  EXPECT_EQ(parse_number("--alpha", "i"), Complex(0, 1));
  EXPECT_EQ(parse_number("--alpha", "3-i"), Complex(3, -1));
}

TEST(Number, RefusesAnythingElse) {
  for (const char* text : {"", "one", "1+", "1+2", "1 + 2i", "2i+1", "1+2i3", "nan", "inf", "1e999",
                           "++1", "--1", "1i2", "0x10"}) {
    EXPECT_THROW(parse_number("--alpha", text), Error) << text;
  }
}

TEST(Number, BytesForPeople) {
  EXPECT_EQ(bytes_to_string(0), "0 B");
  EXPECT_EQ(bytes_to_string(1023), "1023 B");
  EXPECT_EQ(bytes_to_string(1536), "1.50 KiB");
  EXPECT_EQ(bytes_to_string(3.0 * 1024 * 1024 * 1024), "3.00 GiB");
}

/// A made-up /proc and /sys/fs/cgroup.
class Memory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "cuboid-memory-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    files_ = {folder_ / "meminfo", folder_ / "own", folder_ / "groups"};
    put("meminfo", "MemTotal: 2000 kB\nMemFree: 10 kB\nMemAvailable:   1000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
  MemoryFiles files_;
};

TEST_F(Memory, IsTheMachinesWithoutGroups) {
  EXPECT_EQ(available_memory(files_), 1000u * 1024);
}

TEST_F(Memory, IsLessInALimitedGroup) {
  put("own", "0::/job/step\n");
  put("groups/job/step/memory.max", "max\n");
  put("groups/job/step/memory.current", "100\n");
  EXPECT_EQ(available_memory(files_), 1000u * 1024);
  put("groups/job/memory.max", "5000\n");
  put("groups/job/memory.current", "3000\n");
  EXPECT_EQ(available_memory(files_), 2000u);
  put("groups/job/memory.stat", "anon 1000\ninactive_file 500\n");
  EXPECT_EQ(available_memory(files_), 2500u);
  put("groups/job/memory.current", "9000\n");
  EXPECT_EQ(available_memory(files_), 0u);
}

TEST_F(Memory, KnowsGroupsOfVersionOne) {
  put("own", "5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");
  put("groups/memory/job/memory.limit_in_bytes", "7000\n");
  put("groups/memory/job/memory.usage_in_bytes", "3000\n");
  EXPECT_EQ(available_memory(files_), 4000u);
}

TEST_F(Memory, ContainersThatShowAGroupTheyCannotSeeUseTheirRoot) {
  put("own", "0::/outside/the/container\n");
  put("groups/memory.max", "3000\n");
  put("groups/memory.current", "1000\n");
  EXPECT_EQ(available_memory(files_), 2000u);
}

TEST_F(Memory, NobodyTells) {
  files_.meminfo = folder_ / "none";
  EXPECT_EQ(available_memory(files_), std::nullopt);
}

TEST(PeakMemory, GrowsWithUse) {
  const std::uint64_t before = peak_resident_memory();
  EXPECT_GT(before, 0u);
  const std::string used(64 << 20, 'x');
  EXPECT_GE(peak_resident_memory(), before);
  EXPECT_GE(peak_resident_memory(), used.size());
}

TEST(MmOptions, RandomInputNeedsAllSizes) {
  MmFlags flags;
  flags.m = 3;
  flags.n = 4;
  EXPECT_THROW(read_flags(flags), Error);
  flags.k = 5;
  flags.grid = "2x3";
  const MmOptions options = read_flags(flags);
  EXPECT_FALSE(options.from_files());
  EXPECT_EQ(options.how.grid, GridShape(2, 3));
  const Product product = plan_product(options, 6);
  EXPECT_EQ(product.m, 3);
  EXPECT_EQ(product.n, 4);
  EXPECT_EQ(product.k, 5);
  EXPECT_EQ(product.type, ElementType::float64);
  EXPECT_THROW(plan_product(options, 5), Error);
}

TEST(MmOptions, AlgorithmGridRoundsAndMemory) {
  MmFlags flags;
  flags.m = flags.n = flags.k = 8;
  flags.algorithm = "cosma";
  flags.grid = "2x3x4";
  flags.rounds = 5;
  flags.memory_limit = "1.5K";
  flags.one_sided = true;
  const MultiplyOptions how = read_flags(flags).how;
  EXPECT_EQ(how.algorithm, MultiplicationAlgorithm::cosma);
  EXPECT_EQ(how.bricks, (std::array{2, 3, 4}));
  EXPECT_EQ(how.rounds, 5);
  EXPECT_EQ(how.memory_limit, 1536);
  EXPECT_EQ(how.sides, Sidedness::one_sided);
  flags.algorithm = "all";
  EXPECT_TRUE(read_flags(flags).all_algorithms);
  flags.output = "C.npy";
  EXPECT_THROW(read_flags(flags), Error);
  flags.output.clear();
  for (const char* wrong : {"2x", "x2", "2x3x4x5", "2x0x1", "2"}) {
    flags.grid = wrong;
    EXPECT_THROW(read_flags(flags), Error) << wrong;
  }
  flags.grid.clear();
  for (const char* wrong : {"", "much", "-3M", "5X", "1KK"}) {
    EXPECT_THROW(parse_bytes("--memory-limit", wrong), Error) << wrong;
  }
  EXPECT_EQ(parse_bytes("--memory-limit", "2G"), std::int64_t{2} << 30);
}

TEST(FlagValues, ExtentsHaveAnXBetweenThem) {
  EXPECT_EQ(parse_extents("7"), (std::vector<int>{7}));
  EXPECT_EQ(parse_extents("2x3x12"), (std::vector<int>{2, 3, 12}));
  for (const char* wrong :
       {"", "x", "2x", "x3", "2x0", "2x-1", "2X3", "2x3 ", "2xx3", "99999999999"})
    EXPECT_FALSE(parse_extents(wrong).has_value()) << wrong;
}

TEST(Watchdog, EndsTheProcessWhenACallDoesNotReturn) {
  const auto hang = [] {
    Watchdog watchdog("a call", std::chrono::milliseconds(20));
    for (int call = 0; call < 3; ++call) const Watchdog::WatchedCall returns(watchdog);
    const Watchdog::WatchedCall hangs(watchdog);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(static_cast<int>(ExitCode::failed)),
              "a call has not returned within");
}

TEST(Watchdog, LetsCallsReturnAndIsPatientBetweenThem) {
  Watchdog watchdog("a call", std::chrono::milliseconds(20));
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < until) const Watchdog::WatchedCall returns(watchdog);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

TEST(PageText, LongLinesGoOnIndented) {
  EXPECT_EQ(folded("kernels  short\n\n", 4), "kernels  short\n\n");
  const std::string most(page_width, 'x');
  EXPECT_EQ(folded(most + "\n", 4), most + "\n");
  EXPECT_EQ(folded("  " + most + "\n", 4), "  " + most + "\n") << "there is no space to break at";
  EXPECT_EQ(folded("a  " + most + " b\n", 4), "a\n    " + most + "\n    b\n");
  std::string wide;
  for (std::size_t i = 0; i < page_width; ++i) wide += "µ";  // two bytes, one column
  EXPECT_EQ(folded(wide + "\n", 4), wide + "\n");
}

TEST(PageText, ColumnsThatDoNotFitStandBelow) {
  const std::vector<PageRow> few{{.section = "s", .cells = {"one", "1", "20"}},
                                 {.section = "s", .cells = {"two", "2", "3"}}};
  EXPECT_EQ(page_table({"", "a", "b"}, 1, few),
            "     a   b\n"
            "s\n"
            "one  1  20\n"
            "two  2   3\n");
  std::vector<std::string> heads{"name"}, cells{"row"};
  for (int column = 0; column < 30; ++column) {
    heads.push_back("column" + std::to_string(column));
    cells.push_back("<" + std::to_string(column) + ">");
  }
  std::istringstream lines(page_table(heads, 1, {{.section = "", .cells = cells}}));
  std::string all;
  int named = 0;
  for (std::string line; std::getline(lines, line); all += line + "\n") {
    EXPECT_LE(line.size(), page_width) << line;
    if (line.starts_with("name ")) ++named;
  }
  EXPECT_GT(named, 1) << "each part repeats the labels";
  for (std::size_t column = 1; column < heads.size(); ++column) {
    EXPECT_NE(all.find(" " + heads[column]), std::string::npos) << heads[column];
    EXPECT_NE(all.find(" " + cells[column]), std::string::npos) << cells[column];
  }
}

}  // namespace command_parts_test
}  // namespace cuboid::detail::tools
