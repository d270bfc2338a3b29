#include <cuboid/error.hpp>
#include <cuboid/point_to_point.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/point_to_point_steps.hpp"
#include "collectives/types/tag.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

static_assert(max_tag + 1 == Tag::max_channels);

[[noreturn]] void refuse(const Communicator& communicator, const std::string& operation,
                         const std::string& what) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: {}: {}", communicator.rank(), operation, what));
}

void require_other(const Communicator& communicator, const std::string& operation, int peer) {
  if (peer != communicator.rank()) return;
  refuse(communicator, operation,
         "the peer is this rank itself; use exchange() with itself as destination and source");
}

void require_tag(const Communicator& communicator, const std::string& operation, int tag) {
  if (tag >= 0 && tag <= max_tag) return;
  refuse(communicator, operation, fmt::format("tag {}; give 0 to {}", tag, max_tag));
}

void require_apart(const Communicator& communicator, const std::string& operation,
                   const ConstBuffer& outgoing, const Buffer& incoming) {
  const auto* const sent = static_cast<const std::byte*>(outgoing.data);
  const auto* const written = static_cast<const std::byte*>(incoming.data);
  const std::less<> before;
  const bool overlap = outgoing.bytes() > 0 && incoming.bytes() > 0 &&
                       before(sent, written + incoming.bytes()) &&
                       before(written, sent + outgoing.bytes());
  if (overlap) {
    refuse(communicator, operation, "send and receive buffers overlap; use separate memory");
  }
}

}  // namespace

CollectivePlan plan_send(const Communicator& communicator, ConstBuffer message, int destination,
                         int tag) {
  const std::string operation =
      fmt::format("send of {} bytes to rank {}", message.bytes(), destination);
  require_peer(communicator, operation, destination);
  require_other(communicator, operation, destination);
  require_tag(communicator, operation, tag);
  ScheduleBuilder steps;
  steps.add(send_step(destination, tag, message.bytes(), 0), {});
  return plan_messages(communicator, operation, std::move(steps), message.data, nullptr);
}

CollectivePlan plan_receive(const Communicator& communicator, Buffer message, int source, int tag) {
  const std::string operation =
      fmt::format("receive of {} bytes from rank {}", message.bytes(), source);
  require_peer(communicator, operation, source);
  require_other(communicator, operation, source);
  require_tag(communicator, operation, tag);
  ScheduleBuilder steps;
  steps.add(receive_step(source, tag, message.bytes(), 0), {});
  return plan_messages(communicator, operation, std::move(steps), nullptr, message.data);
}

CollectivePlan plan_exchange(const Communicator& communicator, ConstBuffer outgoing,
                             int destination, Buffer incoming, int source, int tag) {
  const std::string operation =
      fmt::format("exchange of {} bytes to rank {} and {} bytes from rank {}", outgoing.bytes(),
                  destination, incoming.bytes(), source);
  require_peer(communicator, operation, destination);
  require_peer(communicator, operation, source);
  require_tag(communicator, operation, tag);
  require_apart(communicator, operation, outgoing, incoming);
  ScheduleBuilder steps;
  if (destination == communicator.rank() && source == communicator.rank()) {
    if (outgoing.bytes() != incoming.bytes()) {
      refuse(communicator, operation, "a rank cannot exchange different sizes with itself");
    }
    steps.add(message_step(Step::Kind::copy, destination, tag, outgoing.bytes()), {});
  } else {
    require_other(communicator, operation, destination);
    require_other(communicator, operation, source);
    steps.add(receive_step(source, tag, incoming.bytes(), 0), {});
    steps.add(send_step(destination, tag, outgoing.bytes(), 0), {});
  }
  return plan_messages(communicator, operation, std::move(steps), outgoing.data, incoming.data);
}

Request start_send(const Communicator& communicator, ConstBuffer message, int destination,
                   int tag) {
  return plan_send(communicator, message, destination, tag).start();
}

Request start_receive(const Communicator& communicator, Buffer message, int source, int tag) {
  return plan_receive(communicator, message, source, tag).start();
}

Request start_exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
                       Buffer incoming, int source, int tag) {
  return plan_exchange(communicator, outgoing, destination, incoming, source, tag).start();
}

void send(const Communicator& communicator, ConstBuffer message, int destination, int tag) {
  start_send(communicator, message, destination, tag).wait();
}

void receive(const Communicator& communicator, Buffer message, int source, int tag) {
  start_receive(communicator, message, source, tag).wait();
}

void exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
              Buffer incoming, int source, int tag) {
  start_exchange(communicator, outgoing, destination, incoming, source, tag).wait();
}

}  // namespace cuboid
