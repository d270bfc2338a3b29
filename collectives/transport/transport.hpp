#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "base/clock.hpp"
#include "collectives/carrier/carrier.hpp"
#include "collectives/carrier/peer_information.hpp"
#include "collectives/mpi/mpi_turns.hpp"
#include "collectives/node/board.hpp"
#include "collectives/node/waiting.hpp"
#include "collectives/transport/memory_exchange.hpp"
#include "collectives/transport/messages.hpp"
#include "collectives/transport/peers.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Communication between the ranks of one bootstrap: within a node by shared memory, between nodes
/// over a carrier, UCX or MPI. peers() knows who is there, messages() sends and receives. A
/// transport belongs to one thread. It knows ranks by their numbers in the world; groups are the
/// communicator's affair.
class Transport {
 public:
  /// Collective over the bootstrap, which must live only until this returns.
  Transport(Bootstrap& bootstrap, const Environment& environment);
  /// The same if everything about the ranks is known already: the ranks do not introduce
  /// themselves.
  Transport(Bootstrap& bootstrap, const Environment& environment,
            std::shared_ptr<const PeerInformation> peer_information);
  /// Says goodbye to the connected peers and gives messages already sent a few seconds to leave. If
  /// an exception ends this rank's work, the goodbye says so. Not collective.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int size() const { return ranks().size(); }
  std::string_view host(int peer) const { return ranks().host(peer); }
  bool same_node(int peer) const { return ranks().same_node(peer, rank_); }
  /// True if a peer is a thread of this rank's process.
  bool same_process(int peer) const {
    return same_node(peer) && ranks().memory(peer).process == ranks().memory(rank_).process;
  }
  /// The number of the process of a rank on this node.
  std::int64_t process(int peer) const { return ranks().memory(peer).process; }
  bool one_node() const { return ranks().on_one_node(); }
  /// The number of ranks that share a core of those that ranks may use, on the machine where it is
  /// largest; at least 1.
  double ranks_per_core() const;

  const Environment& environment() const { return environment_; }
  const Logger& logger() const { return logger_; }
  WaitPolicy wait_policy() const { return wait_policy_; }

  Peers& peers() { return peers_; }
  const Peers& peers() const { return peers_; }
  Messages& messages() { return messages_; }
  const Messages& messages() const { return messages_; }
  MemoryExchange& memory_exchange() { return memory_exchange_; }
  /// The board of this number for a group of these ranks. nullptr if they cannot have it: because
  /// some of them are on other nodes, memory cannot be shared, or earlier groups have all boards.
  /// @param generation  see Board
  std::unique_ptr<Board> make_board(std::uint32_t number, const std::vector<int>& world_ranks,
                                    int rank, std::uint64_t generation);
  Carrier& carrier() { return *carrier_; }
  const Carrier& carrier() const { return *carrier_; }

  /// Lets the carrier and all other parts work. Calls `done` of the transfers that have completed.
  /// Returns true if anything happened.
  bool progress();

  /// One pause of a wait in which progress() found nothing: goes on polling, yields, or sleeps
  /// until a message comes or `until`.
  /// @param board    the board on which this rank waits for others; nullptr if it waits only for
  ///         messages
  /// @param awaited  the ranks that it waits for there (see Board::sleep())
  /// @param idle     returns true if there is still nothing to do
  Pause pause(Backoff& backoff, Clock::time_point until, Board* board = nullptr,
              std::uint64_t awaited = 0, const std::function<bool()>& idle = {});
  /// True if MPI can do this rank's work while the program waits in MPI.
  bool can_work_in_mpi() const;
  /// True if other ranks may need this rank's work between its calls at any time, because peers
  /// connect to it over a network. If false, they need it only for operations of this rank that end
  /// later.
  bool always_needed() const { return !one_node() && carrier_->name() != "mpi"; }
  /// For waits elsewhere: lets MPI work now and then, if the program uses MPI and another carrier
  /// carries Cuboid's messages.
  void let_mpi_work(Clock::time_point now) {
    if (mpi_turns_) mpi_turns_->give(now);
  }

 private:
  static constexpr std::chrono::microseconds shortest_nap{20};
  static constexpr std::chrono::microseconds longest_nap{500};

  const PeerInformation& ranks() const { return *peer_information_; }
  WaitPolicy policy_for_peers() const;
  void leave();
  void sleep(Clock::time_point until);
  /// Sleeps for a moment, each time for longer, if the carrier does not wake this rank.
  void nap();

  Environment environment_;
  int rank_;
  Logger logger_;
  MemoryBeacon memory_beacon_;
  std::shared_ptr<const PeerInformation> peer_information_;
  WaitPolicy wait_policy_;
  std::shared_ptr<BoardMemory> board_memory_;
  bool warned_of_boards_ = false;
  // ~Transport() stops the carrier before any other member ends, because the other members own
  // memory that the carrier may still refer to.
  std::unique_ptr<Carrier> carrier_;
  bool beside_mpi_;
  std::optional<MpiTurns> mpi_turns_;
  Peers peers_;
  Messages messages_;
  MemoryExchange memory_exchange_;
  unsigned idle_polls_ = 0;
  Yields yields_;
  std::chrono::microseconds nap_ = shortest_nap;
};

}  // namespace cuboid::detail
