#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A question and its answers: the asking rank sends `messages` messages of `bytes` bytes to every
/// answering rank at once. When all have arrived at a rank, it sends a short message back.
struct Burst {
  std::size_t messages = 1;
  std::size_t bytes = 8;
};

/// The seconds of a burst, measured by the asking rank.
struct BurstSeconds {
  double handing_over = 0;  ///< until the network had taken the last message
  double total = 0;         ///< until the last answer
};

/// Measures messages between one asking rank and some answering ranks. While a rank asks, all
/// answering ranks must be in answer(); other ranks take no part. Besides the measured messages
/// there are only orders, before them, and readiness: a message always finds its receive posted.
class Prober {
 public:
  /// @param answering  ranks of `communicator`, none of them this one.
  Prober(const Communicator& communicator, std::vector<int> answering)
      : communicator_(communicator), answering_(std::move(answering)) {}
  /// Ends answer() on the answering ranks.
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  /// Makes `repetitions` bursts, one after the other.
  std::vector<BurstSeconds> burst(const Burst& burst, int repetitions);

  /// Seconds in which an answering rank receives each of `messages` short messages that have all
  /// arrived before: one number of each answering rank per repetition.
  std::vector<double> take_in(std::size_t messages, int repetitions);

 private:
  const Communicator& communicator_;
  std::vector<int> answering_;
};

/// Answers `asking` until its Prober is gone. Throws as the collectives do.
void answer(const Communicator& communicator, int asking);

enum class Sent {
  old,    ///< data that the sender has not touched
  fresh,  ///< data that the sender received in the round before
};

/// Seconds of a round in which every rank of a communicator sends `bytes` to the next rank and
/// receives as many: the mean of `rounds` rounds after a first one, on this rank. Collective.
double exchange_round(const Communicator& ring, std::size_t bytes, int rounds, Sent sent);

/// Seconds of a round in which this rank exchanges a burst with each of `peers`: the mean of
/// `rounds` rounds after a first one. Collective; the peers of a rank must name that rank.
double exchange_with_all(const Communicator& communicator, std::span<const int> peers,
                         const Burst& burst, int rounds);

/// Seconds of one run of a plan, on this rank.
double run_seconds(CollectivePlan& plan);

/// The longest messages worth trying within a node, in bytes: more than a core's caches hold.
constexpr std::size_t longest_in_memory = std::size_t{8} << 20;

/// Seconds of a core that combines contributions of `bytes` with as many bytes of its own, piece by
/// piece as they arrive, into other memory. The median of some tries.
double combining(std::size_t bytes);

/// Seconds of copying `bytes` from one buffer to another. The median of some tries.
double copying(std::size_t bytes);

/// Seconds of a hop of a token that goes `rounds` times round the ranks of a communicator; all
/// ranks but one wait at any time. On rank 0; 0 on the others. Collective.
double token_hop(const Communicator& ring, int rounds);

}  // namespace cuboid::detail
