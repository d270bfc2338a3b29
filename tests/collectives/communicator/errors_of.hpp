#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// What each rank of a world met; written by the ranks, read when all have ended.
class Outcomes {
 public:
  void note(int rank, const Error& error) {
    const std::lock_guard lock(mutex_);
    errors_.emplace_back(rank, error);
  }
  const std::vector<std::pair<int, Error>>& errors() const { return errors_; }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, Error>> errors_;
};

/// Runs `body` on `ranks` ranks with a short deadline and notes what each of them throws.
inline std::vector<std::pair<int, Error>> errors_of(
    int ranks, std::chrono::duration<double> timeout,
    const std::function<void(Communicator&)>& body) {
  Outcomes outcomes;
  run_ranks(
      ranks,
      [&](Communicator& c) {
        try {
          body(c);
        } catch (const Error& error) {
          outcomes.note(c.rank(), error);
        }
      },
      with_timeout(timeout));
  return outcomes.errors();
}

}  // namespace cuboid::detail
