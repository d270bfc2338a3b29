// A rank that is killed while a matrix is written leaves no temporary file: the others remove it.

#include <cuboid/error.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/matrix_files.hpp>

#include "tests/collectives/processes.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace killed_writer_test {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(KilledWriter, LeavesNothing) {
  constexpr int writer = 0;
  constexpr int late = 2;
  const TemporaryDirectory output;
  const TemporaryDirectory notes;
  const std::string path = output.path() / "c.npy";
  const auto body = [&](Communicator& world) {
    const Matrix<double> matrix(world, Layout::block(100, 100, {world.size(), 1}));
    if (world.rank() == writer) {
      std::ofstream(notes.path() / "part") << getpid();
      fs::rename(notes.path() / "part", notes.path() / "id");
    }
    if (world.rank() == late) {  // the writer waits for it, with its temporary file begun
      while (files_in(output.path()) == 0 || !fs::exists(notes.path() / "id"))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      pid_t id = 0;
      std::ifstream(notes.path() / "id") >> id;
      kill(id, SIGKILL);
    }
    try {
      write_matrix(path, matrix);
    } catch (const Error&) {
      return;
    }
    throw Wrong("no error where the writer is gone");
  };
  expect_victim_alone(run_processes(3, std::chrono::seconds(20), body), writer);
  EXPECT_EQ(files_in(output.path()), 0u);
}

}  // namespace killed_writer_test
}  // namespace cuboid::detail
