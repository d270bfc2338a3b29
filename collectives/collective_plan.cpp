#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/execution.hpp>

namespace cuboid {

Request CollectivePlan::start() {
  if (before_start_) before_start_();
  const Engine::Turn turn = execution_->engine().turn();
  execution_->start();
  return Request(execution_);
}

std::string_view CollectivePlan::algorithm() const {
  return execution_->recipe().algorithm;
}

}  // namespace cuboid
