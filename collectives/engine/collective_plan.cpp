#include <cuboid/collective_plan.hpp>
#include <cuboid/error.hpp>

#include "collectives/engine/execution.hpp"

namespace cuboid {

using namespace detail;

Request CollectivePlan::start() {
  if (before_start_) before_start_();
  const Engine::Lock lock = execution_->engine().lock();
  std::shared_ptr<Execution> run = execution_;
  run->start();
  return Request(std::move(run));
}

void CollectivePlan::rebind(const void* input, void* output) {
  const Engine::Lock lock = execution_->engine().lock();
  if (!execution_->done()) {
    throw Error(ErrorCode::invalid_argument,
                "a plan is given other buffers while it is in flight: wait for it first");
  }
  if (execution_->planned().in_place && !execution_->lie_as_before(input, output)) {
    throw Error(ErrorCode::invalid_argument,
                "a plan that was made in place is given buffers that lie otherwise: make a plan "
                "for these");
  }
  execution_->bind(input, output);
}

std::string_view CollectivePlan::algorithm() const {
  return execution_->planned().algorithm;
}

}  // namespace cuboid
