#include <cuboid/request.hpp>

#include "collectives/engine/execution.hpp"

#include <exception>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

bool wait_until(std::shared_ptr<Execution>& execution, Clock::time_point until) {
  if (!execution) return true;
  std::shared_ptr<Execution> finished;  // keeps the engine until the lock is gone
  const Engine::Lock lock = execution->engine().lock();
  // wait() is called even if the execution is done, because the engine may not have noticed yet
  // that the failure of another execution ended it.
  if (!execution->engine().wait(*execution, until)) return false;
  finished = std::exchange(execution, nullptr);
  finished->throw_if_failed();
  return true;
}

}  // namespace

Request::Request(std::shared_ptr<Execution> execution) : execution_(std::move(execution)) {}

Request& Request::operator=(Request&& other) noexcept {
  std::swap(execution_, other.execution_);
  std::swap(exceptions_before_, other.exceptions_before_);
  return *this;
}

Request::~Request() {
  if (!execution_) return;
  const Logger logger = execution_->engine().transport().logger();
  try {
    if (std::uncaught_exceptions() > exceptions_before_) {
      Engine& engine = execution_->engine();
      const Engine::Lock lock = engine.lock();
      engine.progress();
      execution_->end_by(nullptr, "an exception ended its work meanwhile");
      engine.forget(*execution_);
      return;
    }
    wait();
  } catch (const std::exception& error) {
    logger.warn(error.what());
  }
}

bool Request::test() {
  if (!execution_) return true;
  {
    const Engine::Lock lock = execution_->engine().lock();
    if (!execution_->done()) execution_->engine().look(*execution_);
    if (!execution_->done()) return false;
  }
  return wait_until(execution_, Clock::now());
}

void Request::wait(OnStream stream) {
  if (execution_) {
    const Engine::Lock lock = execution_->engine().lock();
    execution_->end_on(stream);
  }
  wait();
}

void Request::wait() {
  wait_until(execution_, Clock::time_point::max());
}

bool Request::wait_for(std::chrono::duration<double> duration) {
  // A longer duration does not fit the clock.
  constexpr std::chrono::duration<double> decades(1e9);
  if (duration >= decades) {
    wait();
    return true;
  }
  return wait_until(execution_,
                    Clock::now() + std::chrono::duration_cast<Clock::duration>(duration));
}

}  // namespace cuboid
