#include <cuboid/error.hpp>
#include <cuboid/request.hpp>

#include "collectives/engine/execution.hpp"

namespace cuboid {

using namespace detail;

Request CollectivePlan::start(OnStream after) {
  if (before_start_) before_start_();
  execution_->engine().work_between_calls();
  const Engine::Lock lock = execution_->engine().lock();
  std::shared_ptr<Execution> run = execution_;
  run->start(after);
  return Request(std::move(run));
}

void CollectivePlan::run() {
  if (before_start_) before_start_();
  const Engine::Lock lock = execution_->engine().lock();
  execution_->start();
  execution_->engine().wait(*execution_, Clock::time_point::max());
  execution_->throw_if_failed();
}

void CollectivePlan::rebind(const void* input, void* output) {
  const Engine::Lock lock = execution_->engine().lock();
  if (!execution_->done()) {
    throw Error(ErrorCode::invalid_argument,
                "the plan is in flight and cannot change its buffers: wait for it first");
  }
  if (execution_->planned().in_place && !execution_->lie_as_before(input, output)) {
    throw Error(
        ErrorCode::invalid_argument,
        "the plan was made in place, but these buffers are separate: make another plan for them");
  }
  execution_->bind(input, output);
}

std::string_view CollectivePlan::algorithm() const {
  return execution_->planned().algorithm;
}

}  // namespace cuboid
