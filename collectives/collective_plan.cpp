#include <cuboid/base/error.hpp>
#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/execution.hpp>

namespace cuboid {

Request CollectivePlan::start() {
  if (before_start_) before_start_();
  const Engine::Turn turn = execution_->engine().turn();
  std::shared_ptr<Execution> run = execution_;
  run->start();
  return Request(std::move(run));
}

void CollectivePlan::rebind(const void* input, void* output) {
  const Engine::Turn turn = execution_->engine().turn();
  if (!execution_->done()) {
    throw Error(ErrorCode::invalid_argument,
                "a plan is given other buffers while it is in flight: wait for it first");
  }
  if (execution_->recipe().in_place && !execution_->lie_as_before(input, output)) {
    throw Error(ErrorCode::invalid_argument,
                "a plan that was made in place is given buffers that lie otherwise: make a plan "
                "for these");
  }
  execution_->bind(input, output);
}

std::string_view CollectivePlan::algorithm() const {
  return execution_->recipe().algorithm;
}

}  // namespace cuboid
