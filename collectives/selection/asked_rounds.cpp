#include "collectives/selection/asked_rounds.hpp"

#include "collectives/schedules/slices.hpp"
#include "collectives/selection/network_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace cuboid::detail {

namespace {

// The most blocks that the asked ranks may list together.
constexpr std::size_t most_blocks = 1 << 16;
constexpr int most_asked_nodes = 256;
constexpr int fewest_asked_nodes = 12;
constexpr std::size_t most_rounds = 4096;

// A message of a round, and the number of messages that it is cut into.
struct Asked {
  const Exchange* exchange = nullptr;
  double messages = 1;
  double bytes = 0;
  double first = 0;  // bytes of the first message
};

Asked asked(const Exchange& exchange, bool packed, const Conditions& conditions,
            const Pipelining& pipelining) {
  Asked message{&exchange};
  if (exchange.blocks.empty()) return message;
  message.bytes = message.first = static_cast<double>(bytes_of(exchange.blocks, conditions));
  if (packed) return message;
  message.messages = 0;
  for_each_run(exchange.blocks, conditions, pipelining.segment_bytes, [&](const BlockRun& run) {
    if (message.messages++ == 0) message.first = static_cast<double>(run.bytes);
  });
  return message;
}

class AskedRounds {
 public:
  AskedRounds(const Call& call, std::vector<Rounds> parts, const NetworkLines& lines,
              const Conditions& conditions, const Pipelining& pipelining)
      : call_(call),
        group_(call.cost_model.nodes),
        parts_(std::move(parts)),
        lines_(lines),
        conditions_(conditions),
        pipelining_(pipelining),
        asked_(static_cast<std::size_t>(call.ranks()), false),
        of_rank_(parts_.size(), 0.0) {
    for (const int rank : lines.ranks()) asked_[static_cast<std::size_t>(rank)] = true;
  }

  double seconds() {
    double latencies = 0;
    double lockstep = 0;
    double messages = 0;
    double bytes = 0;
    for (std::size_t round = 0; round < parts_.front().rounds.size(); ++round) {
      const RoundLoad busiest = load_of(round);
      latencies += latency(call_.cost_model, busiest);
      lockstep += under_way(call_, busiest);
      for (const RoundLoad& mine : of_round_) {
        messages += mine.messages;
        bytes += mine.received;
      }
    }
    const double ranks = call_.ranks();
    const double asked = static_cast<double>(parts_.size());
    const double cores = call_.core_seconds(messages / asked * ranks, bytes / asked * ranks);
    const double along = parts_.front().lockstep ? lockstep : std::ranges::max(of_rank_);
    return std::max(latencies + along, cores);
  }

 private:
  // The load of a round on the busiest of the asked ranks. Stores the load on each asked rank, too.
  RoundLoad load_of(std::size_t round) {
    of_round_.assign(parts_.size(), {});
    NetworkLines::Load links(lines_);
    double first = 0;
    bool any = false;
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      const int rank = lines_.ranks()[number];
      RoundLoad& mine = of_round_[number];
      double sent = 0;
      double received = 0;
      for (const Exchange& exchange : parts_[number].rounds[round]) {
        any = true;
        const Asked message = asked(exchange, parts_.front().packed, conditions_, pipelining_);
        const int from = group_.node_of(exchange.sender);
        const int to = group_.node_of(exchange.receiver);
        const bool arrives = exchange.receiver == rank;
        // If the sender is asked as well, the message is counted there.
        if (!arrives || !asked_[static_cast<std::size_t>(exchange.sender)])
          links.add(from, to, message.bytes);
        first = std::max(first, message.first);
        const double copies =
            (parts_.front().packed ? 1 : 0) + (exchange.combine && arrives ? 1 : 0);
        mine.copied += copies * message.bytes;
        if (from == to) {
          if (arrives) mine.copied += message.bytes;
          continue;
        }
        (arrives ? received : sent) += message.messages;
        if (arrives) mine.received += message.bytes;
        mine.longest = std::max(mine.longest, message.bytes / message.messages);
      }
      mine.messages = std::max(sent, received);
    }
    // A round in which no asked rank takes part is like the round before.
    if (any) {
      links_ = links.farthest();
      first_ = first;
      on_link_ = links.busiest();
    }
    RoundLoad busiest{.links = links_, .longest = first_};
    const double waiting = under_way(call_, busiest);
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      RoundLoad& mine = of_round_[number];
      mine.links = links_;
      const bool takes_part = !parts_[number].rounds[round].empty();
      if (takes_part) mine.on_link = on_link_;
      of_rank_[number] += takes_part ? under_way(call_, mine) : waiting;
      busiest.messages = std::max(busiest.messages, mine.messages);
      busiest.received = std::max(busiest.received, mine.received);
      busiest.copied = std::max(busiest.copied, mine.copied);
      busiest.longest = std::max(busiest.longest, mine.longest);
      busiest.on_link = std::max(busiest.on_link, mine.on_link);
    }
    return busiest;
  }

  const Call& call_;
  const GroupNodes& group_;
  std::vector<Rounds> parts_;  // by number of the asked rank
  const NetworkLines& lines_;
  const Conditions& conditions_;
  const Pipelining& pipelining_;
  std::vector<bool> asked_;      // by rank
  std::vector<double> of_rank_;  // seconds without latencies, by asked rank
  std::vector<RoundLoad> of_round_;
  double links_ = 0;
  double first_ = 0;
  double on_link_ = 0;
};

}  // namespace

double seconds_of_asked_rounds(const Call& call, const Algorithm& algorithm,
                               const Settings& settings, const Conditions& conditions) {
  if (conditions.blocks.size() > most_blocks) return std::numeric_limits<double>::infinity();
  const Conditions cut = in_pieces_of(algorithm, call, conditions, settings);
  const auto nodes = static_cast<int>(most_blocks / std::max<std::size_t>(cut.blocks.size(), 1));
  if (cut.blocks.size() > most_blocks) return std::numeric_limits<double>::infinity();
  const NetworkLines lines(call, std::clamp(nodes, fewest_asked_nodes, most_asked_nodes));
  std::vector<Rounds> parts;
  for (const int rank : lines.ranks()) {
    parts.push_back(std::get<Rounds>(algorithm.part(call, conditions, settings, rank)));
    if (parts.front().rounds.size() > most_rounds) return std::numeric_limits<double>::infinity();
  }
  return AskedRounds(call, std::move(parts), lines, cut, settings.pipelining).seconds();
}

}  // namespace cuboid::detail
