#include <cuboid/error.hpp>
#include <cuboid/point_to_point.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/point_to_point_steps.hpp"
#include "collectives/types/tag.hpp"
#include "devices/memory/memory_space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

static_assert(max_tag + 1 == Tag::max_channels);

/// A call and the addresses of its data.
struct BoundMessages {
  const Communicator& communicator;
  MessageCall call;
  const void* outgoing = nullptr;
  void* incoming = nullptr;

  bool to_itself() const {
    return call.sends && call.receives && call.destination == communicator.rank() &&
           call.source == communicator.rank();
  }

  std::string operation() const {
    if (!call.receives)
      return fmt::format("send of {} bytes to rank {}", call.outgoing_bytes, call.destination);
    if (!call.sends)
      return fmt::format("receive of {} bytes from rank {}", call.incoming_bytes, call.source);
    return fmt::format("exchange of {} bytes to rank {} and {} bytes from rank {}",
                       call.outgoing_bytes, call.destination, call.incoming_bytes, call.source);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {}: {}: {}", communicator.rank(), operation(), what));
  }

  void check() const {
    // The name of the operation is made only for an error, because making it takes longer than a
    // short message.
    if (call.sends) check_peer(call.destination);
    if (call.receives) check_peer(call.source);
    if (call.tag < 0 || call.tag > max_tag)
      refuse(fmt::format("tag {}; give 0 to {}", call.tag, max_tag));
    if (overlap(outgoing, call.outgoing_bytes, incoming, call.incoming_bytes))
      refuse("send and receive buffers overlap; use separate memory");
    if (to_itself() && call.outgoing_bytes != call.incoming_bytes)
      refuse("a rank cannot exchange different sizes with itself");
  }

  void check_peer(int peer) const {
    if (peer < 0 || peer >= communicator.size()) require_peer(communicator, operation(), peer);
    if (peer == communicator.rank() && !to_itself())
      refuse("the peer is this rank itself; use exchange() with itself as destination and source");
  }

  ScheduleBuilder steps() const {
    ScheduleBuilder builder;
    if (to_itself()) {
      builder.add(message_step(Step::Kind::copy, call.destination, call.tag, call.outgoing_bytes),
                  {});
    } else {
      if (call.receives)
        builder.add(receive_step(call.source, call.tag, call.incoming_bytes, 0), {});
      if (call.sends)
        builder.add(send_step(call.destination, call.tag, call.outgoing_bytes, 0), {});
    }
    return builder;
  }

  CollectivePlan plan() const {
    check();
    return plan_messages(communicator, operation(), steps(), outgoing, incoming);
  }

  /// Sends or receives a message within the node that needs no waiting. Returns false if this is
  /// not such a message, or there may be something to complain of.
  bool goes_at_once() const {
    if (call.sends == call.receives) return false;
    const void* const data = call.sends ? outgoing : incoming;
    if (data == nullptr || may_lie_on_device(data)) return false;
    Communicator::State& state = communicator.state();
    const Group& group = *state.group;
    if (!group.broken().empty()) return false;
    Messages& messages = state.transport().messages();
    const int peer = group.world_rank(call.sends ? call.destination : call.source);
    const int sender = call.sends ? state.transport().rank() : peer;
    const Tag tag{.context = group.context(),
                  .sender = static_cast<std::uint32_t>(sender),
                  .channel = Tag::point_to_point | static_cast<std::uint32_t>(call.tag)};
    return call.sends ? messages.send_at_once(peer, outgoing, call.outgoing_bytes, tag)
                      : messages.receive_at_once(peer, incoming, call.incoming_bytes, tag);
  }

  Request begin(OnStream after = {}) const {
    Communicator::State& state = communicator.state();
    std::shared_ptr<Execution> execution = state.messages.find(call);
    if (!execution) {
      execution = lay_out_messages(communicator, operation(), steps());
      state.messages.add(call, execution);
    }
    execution->bind(outgoing, incoming);
    execution->start(after);
    return Request(std::move(execution));
  }

  void run() const {
    check();
    const Engine::Lock lock = communicator.state().engine->lock();
    if (!goes_at_once()) begin().wait();
  }

  Request start(OnStream after) const {
    check();
    Engine& engine = *communicator.state().engine;
    {
      const Engine::Lock lock = engine.lock();
      if (!after.given() && goes_at_once()) return {};
      if (engine.works_between_calls()) return begin(after);
    }
    engine.work_between_calls();
    const Engine::Lock lock = engine.lock();
    return begin(after);
  }
};

BoundMessages sending(const Communicator& communicator, const ConstBuffer& message, int destination,
                      int tag) {
  return {.communicator = communicator,
          .call = {.sends = true,
                   .destination = destination,
                   .tag = tag,
                   .outgoing_bytes = message.bytes()},
          .outgoing = message.data};
}

BoundMessages receiving(const Communicator& communicator, const Buffer& message, int source,
                        int tag) {
  return {
      .communicator = communicator,
      .call = {.receives = true, .source = source, .tag = tag, .incoming_bytes = message.bytes()},
      .incoming = message.data};
}

BoundMessages exchanging(const Communicator& communicator, const ConstBuffer& outgoing,
                         int destination, const Buffer& incoming, int source, int tag) {
  return {.communicator = communicator,
          .call = {.sends = true,
                   .receives = true,
                   .destination = destination,
                   .source = source,
                   .tag = tag,
                   .outgoing_bytes = outgoing.bytes(),
                   .incoming_bytes = incoming.bytes()},
          .outgoing = outgoing.data,
          .incoming = incoming.data};
}

}  // namespace

CollectivePlan plan_send(const Communicator& communicator, ConstBuffer message, int destination,
                         int tag) {
  return sending(communicator, message, destination, tag).plan();
}

CollectivePlan plan_receive(const Communicator& communicator, Buffer message, int source, int tag) {
  return receiving(communicator, message, source, tag).plan();
}

CollectivePlan plan_exchange(const Communicator& communicator, ConstBuffer outgoing,
                             int destination, Buffer incoming, int source, int tag) {
  return exchanging(communicator, outgoing, destination, incoming, source, tag).plan();
}

Request start_send(const Communicator& communicator, ConstBuffer message, int destination, int tag,
                   OnStream after) {
  return sending(communicator, message, destination, tag).start(after);
}

Request start_receive(const Communicator& communicator, Buffer message, int source, int tag,
                      OnStream after) {
  return receiving(communicator, message, source, tag).start(after);
}

Request start_exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
                       Buffer incoming, int source, int tag, OnStream after) {
  return exchanging(communicator, outgoing, destination, incoming, source, tag).start(after);
}

void send(const Communicator& communicator, ConstBuffer message, int destination, int tag) {
  sending(communicator, message, destination, tag).run();
}

void receive(const Communicator& communicator, Buffer message, int source, int tag) {
  receiving(communicator, message, source, tag).run();
}

void exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
              Buffer incoming, int source, int tag) {
  exchanging(communicator, outgoing, destination, incoming, source, tag).run();
}

}  // namespace cuboid
