#include <cuboid/request.hpp>

#include "collectives/engine/execution.hpp"

#include <exception>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

bool wait_until(std::shared_ptr<Execution>& execution, Clock::time_point until) {
  if (!execution) return true;
  const Engine::Lock lock = execution->engine().lock();
  // wait() is called even if the execution is done, because the engine may not have noticed yet
  // that the failure of another execution ended it.
  if (!execution->engine().wait(*execution, until)) return false;
  const auto finished = std::exchange(execution, nullptr);
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
  const Engine::Lock lock = execution_ ? execution_->engine().lock() : Engine::Lock();
  if (execution_ && !execution_->done()) execution_->engine().look(*execution_);
  return !execution_ || (execution_->done() && wait_until(execution_, Clock::now()));
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
