#include "collectives/communicator/point_to_point_steps.hpp"

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/types/tag.hpp"

#include <memory>
#include <utility>

namespace cuboid::detail {

Step message_step(Step::Kind kind, int peer, int tag, std::size_t bytes) {
  return {.kind = kind,
          .peer = peer,
          .channel = Tag::point_to_point | static_cast<std::uint32_t>(tag),
          .bytes = bytes,
          .source = {Area::input, 0},
          .destination = {Area::output, 0}};
}

Step send_step(int destination, int tag, std::size_t bytes, std::size_t offset) {
  Step step = message_step(Step::Kind::send, destination, tag, bytes);
  step.source.offset = offset;
  return step;
}

Step receive_step(int source, int tag, std::size_t bytes, std::size_t offset) {
  Step step = message_step(Step::Kind::receive, source, tag, bytes);
  step.destination.offset = offset;
  return step;
}

std::shared_ptr<Execution> lay_out_messages(const Communicator& communicator, std::string operation,
                                            ScheduleBuilder steps, Patience patience) {
  const Communicator::State& state = communicator.state();
  auto planned = std::make_shared<PlannedCollective>();
  planned->schedule = std::move(steps).finish();
  planned->operation = std::move(operation);
  planned->algorithm = "point to point";
  planned->matching = Matching::by_tag;
  planned->patience = patience;
  return std::make_shared<Execution>(state.engine, state.group, std::move(planned));
}

CollectivePlan plan_messages(const Communicator& communicator, std::string operation,
                             ScheduleBuilder steps, const void* outgoing, void* incoming,
                             Patience patience) {
  auto execution = lay_out_messages(communicator, std::move(operation), std::move(steps), patience);
  execution->bind(outgoing, incoming);
  return CollectivePlan(std::move(execution));
}

}  // namespace cuboid::detail
