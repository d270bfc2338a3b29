#include "collectives/calibration/probe.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/reduction.hpp>

#include "base/clock.hpp"
#include "base/copy_bytes.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/point_to_point_steps.hpp"
#include "models/messages/measured.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

namespace cuboid::detail {

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The kinds of messages; their numbers serve as tags.
enum : int { ordering, readiness, probing, answering };

enum class Errand : std::uint32_t { burst, take_in, end };

struct Order {
  Errand errand = Errand::end;
  std::uint32_t repetitions = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

constexpr std::size_t answer_bytes = sizeof(double);

void command(const Communicator& communicator, std::span<const int> ranks, const Order& order) {
  for (const int rank : ranks) send(communicator, std::span(&order, 1), rank, ordering);
}

void await_readiness(const Communicator& communicator, std::span<const int> ranks) {
  std::array<std::byte, 1> ready{};
  for (const int rank : ranks) receive(communicator, ready, rank, readiness);
}

void tell_readiness(const Communicator& communicator, int rank) {
  const std::array<std::byte, 1> ready{};
  send(communicator, ready, rank, readiness);
}

/// A plan that sends messages to every rank and receives an answer from each.
CollectivePlan plan_asking(const Communicator& communicator, std::span<const int> ranks,
                           const Order& order, const std::vector<std::byte>& outgoing,
                           std::vector<std::byte>& answers) {
  ScheduleBuilder steps;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    steps.add(receive_step(ranks[i], answering, answer_bytes, i * answer_bytes), {});
  }
  for (std::size_t message = 0; message < order.messages; ++message) {
    for (const int rank : ranks)
      steps.add(send_step(rank, probing, order.bytes, message * order.bytes), {});
  }
  answers.resize(ranks.size() * answer_bytes);
  return plan_messages(communicator, "measurement of messages", std::move(steps), outgoing.data(),
                       answers.data());
}

CollectivePlan plan_answering(const Communicator& communicator, int asking, const Order& order,
                              std::vector<std::byte>& incoming) {
  static const std::array<std::byte, answer_bytes> nothing{};
  ScheduleBuilder steps;
  StepId reply = ScheduleBuilder::none;
  if (order.errand == Errand::burst)
    reply = steps.add(send_step(asking, answering, answer_bytes, 0), {});
  for (std::size_t message = 0; message < order.messages; ++message) {
    const StepId taken =
        steps.add(receive_step(asking, probing, order.bytes, message * order.bytes), {});
    if (reply != ScheduleBuilder::none) steps.depend(reply, taken);
  }
  incoming.resize(order.messages * order.bytes);
  return plan_messages(communicator, "answer to a measurement", std::move(steps), nothing.data(),
                       incoming.data());
}

void answer_bursts(const Communicator& communicator, int asking, const Order& order) {
  std::vector<std::byte> incoming;
  CollectivePlan plan = plan_answering(communicator, asking, order, incoming);
  for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition) {
    Request request = plan.start();
    tell_readiness(communicator, asking);
    request.wait();
  }
}

void answer_late(const Communicator& communicator, int asking, const Order& order) {
  std::vector<std::byte> incoming;
  CollectivePlan plan = plan_answering(communicator, asking, order, incoming);
  for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition) {
    tell_readiness(communicator, asking);
    constexpr std::chrono::milliseconds until_all_are_there{2};
    std::this_thread::sleep_for(until_all_are_there);
    const auto start = Clock::now();
    plan.run();
    const std::array each = {seconds_since(start) / static_cast<double>(order.messages)};
    send(communicator, each, asking, answering);
  }
}

}  // namespace

Prober::~Prober() {
  try {
    command(communicator_, answering_, {});
  } catch (const Error& error) {
    communicator_.logger().warn(error.what());
  }
}

std::vector<BurstSeconds> Prober::burst(const Burst& burst, int repetitions) {
  const Order order{Errand::burst, static_cast<std::uint32_t>(repetitions), burst.messages,
                    burst.bytes};
  command(communicator_, answering_, order);
  const std::vector<std::byte> outgoing(burst.messages * burst.bytes, std::byte{1});
  std::vector<std::byte> answers;
  CollectivePlan plan = plan_asking(communicator_, answering_, order, outgoing, answers);
  std::vector<BurstSeconds> results;
  for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition) {
    await_readiness(communicator_, answering_);
    BurstSeconds seconds;
    const auto start = Clock::now();
    Request request = plan.start();
    seconds.handing_over = seconds_since(start);
    request.wait();
    seconds.total = seconds_since(start);
    results.push_back(seconds);
  }
  return results;
}

std::vector<double> Prober::take_in(std::size_t messages, int repetitions) {
  const Order order{Errand::take_in, static_cast<std::uint32_t>(repetitions), messages,
                    Burst{}.bytes};
  command(communicator_, answering_, order);
  const std::vector<std::byte> outgoing(messages * Burst{}.bytes, std::byte{1});
  std::vector<std::byte> answers;
  CollectivePlan plan = plan_asking(communicator_, answering_, order, outgoing, answers);
  std::vector<double> results;
  for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition) {
    await_readiness(communicator_, answering_);
    plan.run();
    for (std::size_t i = 0; i < answering_.size(); ++i) {
      double each = 0;
      std::memcpy(&each, answers.data() + i * answer_bytes, sizeof each);
      results.push_back(each);
    }
  }
  return results;
}

void answer(const Communicator& communicator, int asking) {
  for (;;) {
    Order order;
    receive(communicator, std::span(&order, 1), asking, ordering);
    if (order.errand == Errand::end) return;
    if (order.errand == Errand::burst) {
      answer_bursts(communicator, asking, order);
    } else {
      answer_late(communicator, asking, order);
    }
  }
}

double exchange_round(const Communicator& ring, std::size_t bytes, int rounds, Sent sent) {
  const int ranks = ring.size();
  std::array<std::vector<std::byte>, 2> memory;
  for (auto& one : memory) one.resize(bytes);
  const auto pass_on = [&](std::size_t from) {
    return plan_exchange(ring, std::span(std::as_const(memory[from])), (ring.rank() + 1) % ranks,
                         std::span(memory[1 - from]), (ring.rank() + ranks - 1) % ranks, probing);
  };
  std::array<CollectivePlan, 2> in_turns = {pass_on(0), pass_on(sent == Sent::old ? 0 : 1)};
  for (CollectivePlan& plan : in_turns) plan.run();
  barrier(ring);
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) in_turns[static_cast<std::size_t>(round % 2)].run();
  return seconds_since(start) / rounds;
}

double exchange_with_all(const Communicator& communicator, std::span<const int> peers,
                         const Burst& burst, int rounds) {
  const std::vector<std::byte> outgoing(burst.bytes);
  std::vector<std::byte> incoming(peers.size() * burst.messages * burst.bytes);
  ScheduleBuilder steps;
  std::size_t offset = 0;
  for (const int peer : peers) {
    for (std::size_t message = 0; message < burst.messages; ++message, offset += burst.bytes)
      steps.add(receive_step(peer, probing, burst.bytes, offset), {});
  }
  for (std::size_t message = 0; message < burst.messages; ++message) {
    for (const int peer : peers) steps.add(send_step(peer, probing, burst.bytes, 0), {});
  }
  CollectivePlan plan = plan_messages(communicator, "exchange with all neighbours",
                                      std::move(steps), outgoing.data(), incoming.data());
  plan.run();
  barrier(communicator);
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) plan.run();
  return seconds_since(start) / rounds;
}

double run_seconds(CollectivePlan& plan) {
  const auto start = Clock::now();
  plan.run();
  return seconds_since(start);
}

namespace {

/// The seconds that this thread has had a core.
double core_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The core time of `work`, which runs repeatedly for a short while. Other ranks may share the
/// core.
template <class Work>
double usual_seconds(const Work& work) {
  constexpr double seconds_altogether = 0.005;
  std::vector<double> seconds;
  const auto begun = Clock::now();
  while (seconds.size() < 3 || seconds_since(begun) < seconds_altogether) {
    const double start = core_seconds();
    work();
    seconds.push_back(core_seconds() - start);
  }
  return median_of(seconds).value;
}

}  // namespace

double combining(std::size_t bytes) {
  // The elements of a segment, which fits in the sender's cache.
  constexpr std::size_t piece = 16384;
  const std::size_t elements = bytes / sizeof(double);
  const std::vector<double> own(elements, 1);
  const std::vector<double> incoming(std::min(elements, piece), 1);
  std::vector<double> sum(elements, 1);
  const CombineFunction combine =
      Reduction(Reduction::Kind::sum).combine_for(Datatype::Kind::float64);
  return usual_seconds([&] {
    for (std::size_t done = 0; done < elements; done += piece) {
      combine(own.data() + done, incoming.data(), sum.data() + done,
              std::min(piece, elements - done));
    }
  });
}

double copying(std::size_t bytes) {
  const std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes);
  return usual_seconds([&] { copy_bytes(to.data(), from.data(), bytes); });
}

double token_hop(const Communicator& ring, int rounds) {
  const int ranks = ring.size();
  if (ranks == 1) return 0;
  std::array<double, 1> token{};
  CollectivePlan take = plan_receive(ring, token, (ring.rank() + ranks - 1) % ranks, probing);
  CollectivePlan pass = plan_send(ring, token, (ring.rank() + 1) % ranks, probing);
  const bool first = ring.rank() == 0;
  Clock::time_point start;
  for (int round = 0; round <= rounds; ++round) {  // the first round does not count
    if (first && round == 1) start = Clock::now();
    if (first) pass.run();
    take.run();
    if (!first) pass.run();
  }
  return first ? seconds_since(start) / (static_cast<double>(rounds) * ranks) : 0;
}

}  // namespace cuboid::detail
