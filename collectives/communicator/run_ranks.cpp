#include <cuboid/communicator.hpp>

#include "base/thrown.hpp"
#include "collectives/bootstrap/thread_bootstrap.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// True if a rank ended because another rank has ended.
bool is_of_another(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error.code() == ErrorCode::peer_failed;
  } catch (...) {
    return false;
  }
}

}  // namespace

void run_ranks(int ranks, const std::function<void(Communicator&)>& body,
               const Environment& environment) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument, fmt::format("{} ranks: give at least 1", ranks));
  const auto meeting_point = std::make_shared<ThreadMeetingPoint>(ranks, environment.timeout);
  std::mutex mutex;
  std::exception_ptr first_error;

  const auto run = [&](int rank) {
    std::optional<Communicator> communicator;
    try {
      communicator.emplace(std::make_unique<ThreadBootstrap>(meeting_point, rank), environment);
      body(*communicator);
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      {
        const std::lock_guard lock(mutex);
        // Other ranks may come here before the rank whose end they were told of.
        if (!first_error || (is_of_another(first_error) && !is_of_another(error)))
          first_error = error;
      }
      meeting_point->give_up(rank, text_of(error));
      if (communicator) communicator->revoke(text_of(error));
    }
  };

  // No rank begins before all threads exist: if there was too little memory for one thread, there
  // is too little for the work of the others.
  enum class Signal { none, begin, end };
  std::atomic<Signal> signal = Signal::none;
  const auto give = [&signal](Signal to_all) {
    signal = to_all;
    signal.notify_all();
  };
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    try {
      threads.emplace_back([&, rank] {
        signal.wait(Signal::none);
        if (signal == Signal::begin) run(rank);
      });
    } catch (const std::exception& error) {  // std::system_error, std::bad_alloc
      give(Signal::end);
      threads.clear();
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("rank {} of {} cannot be started as a thread ({}): give fewer ranks, "
                              "or raise what limits the number of threads (ulimit -u) or the "
                              "memory",
                              rank, ranks, error.what()));
    }
  }
  give(Signal::begin);
  threads.clear();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace cuboid
