#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A question and its answers. The asking rank sends `messages` messages of `bytes` bytes to every
/// answering rank at once. When all have come to a rank, it sends a short message back.
struct Burst {
  std::size_t messages = 1;
  std::size_t bytes = 8;
};

/// The seconds of a burst, measured by the asking rank.
struct BurstSeconds {
  double handing_over = 0;  ///< until the network has taken the last message
  double total = 0;         ///< until the last answer
};

/// Measures messages between one asking rank and some answering ranks. While a rank asks, all
/// answering ranks must be in answer(); other ranks take no part. Before the measured messages go
/// orders and words of readiness, so a message always finds its receive posted.
class Prober {
 public:
  /// @param answering  ranks of `communicator`, without this rank
  Prober(const Communicator& communicator, std::vector<int> answering)
      : communicator_(communicator), answering_(std::move(answering)) {}
  /// Ends answer() on the answering ranks.
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  /// Makes `repetitions` bursts one after the other.
  std::vector<BurstSeconds> burst(const Burst& burst, int repetitions);

  /// The seconds in which an answering rank receives a short message of `messages` that have all
  /// come before. One number from each answering rank for each repetition.
  std::vector<double> take_in(std::size_t messages, int repetitions);

 private:
  const Communicator& communicator_;
  std::vector<int> answering_;
};

/// Answers the rank `asking` until its Prober ends. Throws like the collectives.
void answer(const Communicator& communicator, int asking);

enum class Sent {
  old,    ///< data that the sender has not touched
  fresh,  ///< data that the sender received in the round before
};

/// The seconds of a round in which every rank of a communicator sends `bytes` bytes to the next
/// rank and receives as many from the rank before. The mean of `rounds` rounds after a first round,
/// on this rank. Collective.
double exchange_round(const Communicator& ring, std::size_t bytes, int rounds, Sent sent);

/// The seconds of a round in which this rank exchanges a burst with each of `peers`. The mean of
/// `rounds` rounds after a first round. Collective; if a rank names a peer, the peer must name that
/// rank.
double exchange_with_all(const Communicator& communicator, std::span<const int> peers,
                         const Burst& burst, int rounds);

/// The seconds of one run of a plan, on this rank.
double run_seconds(CollectivePlan& plan);

/// The bytes of the longest messages worth trying within a node: more than a core's caches hold.
constexpr std::size_t longest_in_memory = std::size_t{8} << 20;

/// The seconds of a core that combines a contribution of `bytes` bytes with as many bytes of its
/// own into other memory, piece by piece as pieces arrive. The median of some tries.
double combining(std::size_t bytes);

/// The seconds of copying `bytes` bytes from one buffer to another. The median of some tries.
double copying(std::size_t bytes);

/// The seconds of a hop of a token that goes `rounds` times round the ranks of a communicator. At
/// any time all ranks but one wait. The result is on rank 0; other ranks return 0. Collective.
double token_hop(const Communicator& ring, int rounds);

}  // namespace cuboid::detail
