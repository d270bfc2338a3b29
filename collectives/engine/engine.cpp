#include "collectives/engine/engine.hpp"

#include "base/thrown.hpp"
#include "collectives/engine/direct_run.hpp"
#include "collectives/engine/execution.hpp"
#include "collectives/mpi/work_in_mpi.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// A recursive mutex that takes one atomic instruction. Such an instruction waits until the stores
/// of the message just sent have left the core, so a mutex of the system, which takes one to lock
/// and one to unlock, costs as much as a short message. Threads that wait yield.
class RecursiveSpinLock {
 public:
  bool try_lock() {
    const std::thread::id me = std::this_thread::get_id();
    std::thread::id nobody;
    if (owner_.load(std::memory_order_relaxed) != me &&
        !owner_.compare_exchange_strong(nobody, me, std::memory_order_acquire))
      return false;
    ++depth_;
    return true;
  }
  void lock() {
    while (!try_lock()) std::this_thread::yield();
  }
  void unlock() {
    if (--depth_ == 0) owner_.store({}, std::memory_order_release);
  }
  /// How often the thread that holds the lock has locked it.
  int depth() const { return depth_; }

 private:
  std::atomic<std::thread::id> owner_;
  int depth_ = 0;
};

}  // namespace

struct Engine::Helper {
  RecursiveSpinLock lock_in_mpi;  // if MPI is the helper
  std::recursive_mutex mutex;     // if a thread is
  std::condition_variable_any changed;
  std::atomic<int> waiting = 0;  // the number of threads that wait for the mutex
  // The thread that waits for a collective's end; none if no thread does.
  std::atomic<std::thread::id> waits_for_end;
  bool stopping = false;
  std::thread thread;
  std::optional<WorkInMpi> in_mpi;
};

namespace {

/// Notes in `place` that this thread waits, for as long as the object exists.
class Waiter {
 public:
  explicit Waiter(std::atomic<std::thread::id>* place) : place_(place) {
    if (place_ != nullptr) before_ = place_->exchange(std::this_thread::get_id());
  }
  ~Waiter() {
    if (place_ != nullptr) *place_ = before_;
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  std::atomic<std::thread::id>* place_;
  std::thread::id before_;
};

/// The longest pause between two parts of a long message. If data moves less often than this, it is
/// only the network's own traffic.
constexpr std::chrono::milliseconds longest_pause_of_a_stream{200};

/// The time by which a wait for an execution is extended. The transport reports only complete
/// messages, so while data moved, parts of a long message may have moved unseen. If patience is
/// endless, this is the whole timeout.
Clock::duration excuse(Execution& execution, Clock::duration timeout) {
  using Duration = Clock::duration;
  if (execution.planned().patience == Patience::endless) return timeout;
  const std::chrono::duration<double> under_way(static_cast<double>(execution.longest_message()) /
                                                slowest_bytes_per_second);
  Stall& stall = execution.stall();
  const Duration left = std::chrono::duration_cast<Duration>(under_way) - stall.excused;
  const Duration excused = std::clamp(std::exchange(stall.moving, {}), Duration::zero(),
                                      std::max(left, Duration::zero()));
  stall.excused += excused;
  return excused;
}

}  // namespace

Engine::Engine(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)), contexts_(std::make_shared<ContextNumbers>()) {
  constexpr std::size_t hardly_ever_more = 128;
  active_.reserve(hardly_ever_more);
  if (transport_->environment().progress == ProgressBy::thread) {
    helper_ = std::make_unique<Helper>();
    helper_->thread = std::thread([this] { help(); });
  } else if (transport_->always_needed()) {
    work_between_calls();
  }
}

// Called no sooner than necessary: with a helper every call locks a mutex, which is noticeable for
// short messages within a node.
void Engine::work_between_calls() {
  if (works_between_calls()) return;
  helper_ = std::make_unique<Helper>();
  helper_->in_mpi.emplace([this] { return help_in_mpi(); });
}

Engine::~Engine() {
  if (!helper_) return;
  helper_->in_mpi.reset();
  if (!helper_->thread.joinable()) return;
  {
    const std::lock_guard lock(helper_->mutex);
    helper_->stopping = true;
  }
  helper_->changed.notify_one();
  helper_->thread.join();
}

bool Engine::enter() {
  if (!helper_) return false;
  if (helper_->in_mpi) {
    helper_->lock_in_mpi.lock();
  } else {
    ++helper_->waiting;
    helper_->mutex.lock();
    --helper_->waiting;
  }
  return true;
}

void Engine::leave() {
  if (!helper_->in_mpi) return helper_->mutex.unlock();
  if (helper_->lock_in_mpi.depth() == 1) WorkInMpi::expect();
  helper_->lock_in_mpi.unlock();
}

void Engine::require_one_thread() const {
  if (!helper_) return;
  const std::thread::id waiter = helper_->waits_for_end;
  if (waiter == std::thread::id() || waiter == std::this_thread::get_id()) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("rank {}: two threads use this rank's communicators at once: use one thread per "
                  "rank, or start more ranks",
                  transport_->rank()));
}

// A helper thread also works without a collective in flight, because peers connect, and put into
// and get from this rank's memory. Over MPI it works only while a collective is in flight, since at
// other times the program itself may call MPI.
void Engine::help() {
  constexpr std::chrono::microseconds shortest{50};
  constexpr std::chrono::microseconds longest{5000};
  const bool always = transport_->carrier().wakes();
  auto pause = shortest;
  std::unique_lock lock(helper_->mutex);
  while (!helper_->stopping) {
    if (active_.empty() && !always) {
      helper_->changed.wait(lock);
    } else if (!progress_alone()) {
      helper_->changed.wait_for(lock, pause);
      pause = active_.empty() ? std::min(2 * pause, longest) : shortest;
    } else if (pause = shortest; helper_->waiting > 0) {
      // A mutex is not fair, so the helper lets the rank's own thread go first.
      lock.unlock();
      while (helper_->waiting > 0) std::this_thread::yield();
      lock.lock();
    }
  }
}

void Engine::add(Execution& execution) {
  active_.push_back(&execution);
  if (helper_ && helper_->thread.joinable()) helper_->changed.notify_one();
}

DeviceAccess& Engine::device_access() {
  if (!device_access_) device_access_ = std::make_unique<DeviceAccess>();
  return *device_access_;
}

void Engine::end_those_too_old(const Group& group) {
  const auto too_old = [&](const Execution* execution) {
    return execution->is_collective_of(group) &&
           group.started_since(execution->sequence()) >= Tag::max_collectives_in_flight;
  };
  for (auto one = std::ranges::find_if(active_, too_old); one != active_.end();
       one = std::ranges::find_if(active_, too_old)) {
    wait(**one, Clock::time_point::max());
  }
}

void Engine::forget(Execution& execution) {
  std::erase(active_, &execution);
}

// MPI may call this from inside a call of this rank, on the same thread.
bool Engine::help_in_mpi() {
  const std::unique_lock lock(helper_->lock_in_mpi, std::try_to_lock);
  return lock && helper_->lock_in_mpi.depth() == 1 && progress_alone();
}

// There is no caller to throw to. A rank that needs what has failed learns it in its own wait.
bool Engine::progress_alone() {
  try {
    return progress();
  } catch (const std::exception& error) {
    transport_->logger().debug(error.what());
    return false;
  }
}

bool Engine::progress() {
  bool moved = transport_->progress();
  moved |= look_at_boards();
  moved |= std::exchange(board_moved_, false);
  movements_ += moved ? 1 : 0;
  if (transport_->peers().failures() != failures_seen_) {
    failures_seen_ = transport_->peers().failures();
    // Perhaps all that is missing is what the failed ranks did before they failed.
    for (std::size_t i = 0; i < active_.size(); ++i) {
      active_[i]->advance();
      active_[i]->check_peers();
    }
  }
  bool ended = false;
  // The loop goes by index, since an execution that fails lets the transport progress but does not
  // change the list.
  for (std::size_t i = 0; i < active_.size(); ++i) ended |= active_[i]->advance();
  if (ended) std::erase_if(active_, [](const Execution* execution) { return execution->done(); });
  return moved || ended;
}

bool Engine::look_at_boards() {
  bool any = false;
  for (Execution* const execution : active_) any |= execution->look_at_board();
  return any;
}

const Execution* Engine::waiting_on_board() const {
  const auto waits = [](const Execution* execution) {
    return execution->awaited_board() != nullptr;
  };
  const auto first = std::ranges::find_if(active_, waits);
  return first == active_.end() ? nullptr : *first;
}

bool Engine::awaits_device() const {
  return std::ranges::any_of(active_, &Execution::awaits_device);
}

// A device ends nobody's sleep.
Pause Engine::pause(Backoff& backoff, Clock::time_point until) {
  if (awaits_device()) {
    std::this_thread::yield();
    return Pause::yield;
  }
  const Execution* const waiting = waiting_on_board();
  if (waiting == nullptr) return transport_->pause(backoff, until);
  return transport_->pause(backoff, until, waiting->awaited_board(), waiting->awaited_on_board(),
                           [this] { return !(board_moved_ = look_at_boards()); });
}

bool Engine::wait(Execution& execution, Clock::time_point until) {
  // A program that waits for many requests in turn mostly finds them done; then the others are not
  // looked at.
  if (execution.done()) {
    std::erase(active_, &execution);
    return true;
  }
  const Waiter waiter(helper_ ? &helper_->waits_for_end : nullptr);
  const auto timeout =
      std::chrono::duration_cast<Clock::duration>(transport_->environment().timeout);
  Backoff backoff(transport_->wait_policy());
  Stall& stall = execution.stall();
  auto stalled_at = Clock::time_point::max();  // set when the wait is no longer short
  auto moved_at = Clock::time_point::max();
  std::uint64_t movements = movements_;
  for (unsigned poll = 1; !execution.done(); ++poll) {
    Pause pause = Pause::spin;
    if (look_closely(execution)) continue;
    if (progress()) {
      backoff.reset();
    } else {
      pause = this->pause(backoff, std::min(until, stalled_at));
    }
    // Reading the clock costs as much as a poll, so it is not read every time.
    if (pause == Pause::spin && poll % 64 != 0) continue;
    if (pause == Pause::sleep) execution.watch_board();
    if (pause != Pause::spin) {
      execution.check_group();
      execution.check_lengths();
      try {
        throw_if_interrupted();
      } catch (...) {
        execution.end_by(std::current_exception(),
                         "the wait was interrupted: " + text_of(std::current_exception()));
      }
    }
    const auto now = Clock::now();
    if (moved_at == Clock::time_point::max()) moved_at = now;
    if (std::exchange(movements, movements_) != movements_) {
      const auto pause = now - std::exchange(moved_at, now);
      if (pause < longest_pause_of_a_stream) stall.moving += pause;
    }
    if (execution.steps_left() != stall.steps_left) {
      stall = {.steps_left = execution.steps_left()};
      stalled_at = now + timeout;
    } else if (stalled_at == Clock::time_point::max()) {
      stalled_at = now + timeout - stall.waited;
    }
    if (now >= stalled_at) {
      const auto excused = excuse(execution, timeout);
      if (excused == Clock::duration::zero()) execution.time_out();
      stalled_at += excused;
    }
    if (now >= until) {
      stall.waited = now + timeout - stalled_at;
      stall.looked_at = now;
      break;
    }
  }
  if (execution.done())
    std::erase_if(active_, [](const Execution* other) { return other->done(); });
  return execution.done();
}

// Other ranks' writes to a board often come sooner than progress() would take to look at everything
// else. If ranks share cores this rank does not look so closely, because the ranks that it waits
// for need the core.
bool Engine::look_closely(Execution& execution) {
  constexpr int looks = 32;
  if (execution.awaited_board() == nullptr || transport_->wait_policy().spins == 0) return false;
  for (int look = 0; look < looks; ++look) {
    if (!execution.look_at_board()) continue;
    execution.advance();
    return true;
  }
  return false;
}

void Engine::look(Execution& execution) {
  constexpr std::chrono::milliseconds longest_pause{100};
  progress();
  if (execution.done()) return;
  const auto now = Clock::now();
  Stall& stall = execution.stall();
  if (stall.checked_at == Clock::time_point()) {
    stall.checked_at = now;
  } else if (now - stall.checked_at >= longest_pause) {
    stall.checked_at = now;
    execution.check_group();
    execution.check_lengths();
    if (execution.done()) return;
  }
  const auto pause = now - stall.looked_at;
  if (execution.steps_left() != stall.steps_left) {
    stall = {.steps_left = execution.steps_left()};
  } else if (pause < longest_pause) {
    stall.waited += pause;
  }
  if (std::exchange(stall.movements, movements_) != movements_) {
    const auto still = stall.waited - std::exchange(stall.moved_at, stall.waited);
    if (still < longest_pause_of_a_stream) stall.moving += still;
  }
  stall.looked_at = now;
  transport_->let_mpi_work(now);
  const auto timeout =
      std::chrono::duration_cast<Clock::duration>(transport_->environment().timeout);
  if (stall.waited < timeout) return;
  const auto excused = excuse(execution, timeout);
  if (excused == Clock::duration::zero()) execution.time_out();
  stall.waited -= excused;
  stall.moved_at -= excused;
}

}  // namespace cuboid::detail
