#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// What a rank that asks has others answer: `messages` of `bytes` each go to every one of them at
/// once, and when all have come, each sends a short message back.
struct Burst {
  std::size_t messages = 1;
  std::size_t bytes = 8;
};

/// How long it took the rank that asks.
struct BurstSeconds {
  double handing_over = 0;  ///< until the last message was the network's
  double total = 0;         ///< until the last answer
};

/// The two sides of measurements between a rank that asks and ranks that answer. While one asks,
/// all others it names must be in answer(); ranks not named take no part. Beside what is measured,
/// nothing is sent but orders, before it, and readiness: a message always finds its receive posted.
class Prober {
 public:
  /// @param answering  ranks of `communicator`, none of them this one.
  Prober(const Communicator& communicator, std::vector<int> answering)
      : communicator_(communicator), answering_(std::move(answering)) {}
  /// Lets those that answer go on.
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  /// `repetitions` bursts, one after the other.
  std::vector<BurstSeconds> burst(const Burst& burst, int repetitions);

  /// Seconds that a rank which answers takes to take in each of `messages` short messages that are
  /// all there already: of each such rank, once per repetition.
  std::vector<double> take_in(std::size_t messages, int repetitions);

 private:
  const Communicator& communicator_;
  std::vector<int> answering_;
};

/// Answers `asking` until its Prober is gone. Throws as the collectives do.
void answer(const Communicator& communicator, int asking);

enum class Sent {
  old,    ///< lies where it lay
  fresh,  ///< was received in the round before
};

/// Seconds of a round in which every rank of a communicator sends `bytes` to the next one and
/// receives as many, as this rank sees `rounds` of them after a first. Collective.
double exchange_round(const Communicator& ring, std::size_t bytes, int rounds, Sent sent);

/// Seconds of a round in which this rank sends each of `peers` so many messages at once and
/// receives as many from it, of `rounds` after a first. Collective: whoever is a peer names this
/// rank.
double exchange_with_all(const Communicator& communicator, std::span<const int> peers,
                         const Burst& burst, int rounds);

/// Seconds of a run as this rank sees it.
double run_seconds(CollectivePlan& plan);

/// The longest messages worth trying within a node, in bytes: more than a core's caches hold.
constexpr std::size_t longest_in_memory = std::size_t{8} << 20;

/// Seconds of a core for adding contributions of `bytes` to as many, piece by piece as they come
/// in, into memory of their own; the median of some tries.
double combining(std::size_t bytes);

/// Seconds of copying so many bytes from a rank's memory to its own; likewise.
double copying(std::size_t bytes);

/// Seconds of a hop of a token that goes `rounds` times round the ranks of a communicator, of which
/// all but one wait at any time. On rank 0; 0 on the others. Collective.
double token_hop(const Communicator& ring, int rounds);

}  // namespace cuboid::detail
