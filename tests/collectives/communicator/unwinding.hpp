#pragma once

#include <cuboid/window.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <vector>

namespace cuboid::detail {

/// What lies in the scope that an exception ends.
enum class InScope { nothing, request, window };

inline constexpr std::chrono::seconds long_deadline{60};

struct OutOfInk : std::runtime_error {
  OutOfInk() : std::runtime_error("no more ink") {}
};

/// Rank 1 throws OutOfInk in the middle of the others' work, without revoke(). Their waits must end
/// at once with its name, also where it has another number.
inline void work_until_rank_1_throws(const Communicator& world, InScope what) {
  const Communicator others_of_0 = world.split(world.rank() == 0 ? 1 : 0, -world.rank());
  std::vector<int> data(1000), sums(1000);
  std::optional<Window> window;
  if (what == InScope::window) window.emplace(world, 8);
  barrier(world);
  if (world.rank() == 1) {
    Request reduced;
    if (what == InScope::request)
      reduced = start_allreduce(world, data, sums, Reduction::Kind::sum);
    throw OutOfInk();
  }
  const auto start = std::chrono::steady_clock::now();
  const auto work = [&] {
    for (;;) {
      switch (what) {
        case InScope::nothing: barrier(world.rank() == 0 ? world : others_of_0); break;
        case InScope::request: allreduce(world, data, sums, Reduction::Kind::sum); break;
        case InScope::window: window->fence(); break;
      }
    }
  };
  require_error(work, ErrorCode::peer_failed, {"rank 1 ", "an exception ended its work"});
  window.reset();
  require(std::chrono::steady_clock::now() - start < long_deadline / 2, "only by the deadline");
}

}  // namespace cuboid::detail
