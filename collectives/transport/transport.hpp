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
/// over a carrier, UCX or MPI. Who is there is peers(), what is sent and received is messages().
/// Belongs to one thread. Knows ranks of its world only; groups are the communicator's affair.
class Transport {
 public:
  /// Collective over the bootstrap, which is used here only.
  Transport(Bootstrap& bootstrap, const Environment& environment);
  /// The same where all is known of the ranks: nothing is exchanged.
  Transport(Bootstrap& bootstrap, const Environment& environment,
            std::shared_ptr<const PeerInformation> peer_information);
  /// Says goodbye to the connected peers and gives what was sent a few seconds to leave. Where an
  /// exception ends this rank's work, the goodbye says so. Not collective.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int size() const { return ranks().size(); }
  std::string_view host(int peer) const { return ranks().host(peer); }
  bool same_node(int peer) const { return ranks().same_node(peer, rank_); }
  /// Whether a peer is a thread of this rank's process.
  bool same_process(int peer) const {
    return same_node(peer) && ranks().memory(peer).process == ranks().memory(rank_).process;
  }
  bool one_node() const { return ranks().on_one_node(); }
  /// On this machine: how many ranks share each core that ranks may use; at least 1.
  double ranks_per_core() const;

  const Environment& environment() const { return environment_; }
  const Logger& logger() const { return logger_; }
  WaitPolicy wait_policy() const { return wait_policy_; }

  Peers& peers() { return peers_; }
  const Peers& peers() const { return peers_; }
  Messages& messages() { return messages_; }
  const Messages& messages() const { return messages_; }
  MemoryExchange& memory_exchange() { return memory_exchange_; }
  /// The board of this number for a group of these ranks; nullptr if they cannot have one: some
  /// are on other nodes, memory cannot be shared, or the groups before took all.
  /// @param generation  see Board
  std::unique_ptr<Board> make_board(std::uint32_t number, const std::vector<int>& world_ranks,
                                    int rank, std::uint64_t generation);
  Carrier& carrier() { return *carrier_; }
  const Carrier& carrier() const { return *carrier_; }

  /// Lets the carrier work; calls `done` of what has completed. Returns whether anything happened.
  bool progress();

  /// One step of a wait in which progress() found nothing: polls on, yields, or sleeps until a
  /// message or `until`.
  /// @param board, awaited  whom this rank waits for on a board, if it does (see Board::sleep)
  /// @param idle            whether it still does
  Pause pause(Backoff& backoff, Clock::time_point until, Board* board = nullptr,
              std::uint64_t awaited = 0, const std::function<bool()>& idle = {});
  /// Whether MPI can have this rank's work done while the program waits in it.
  bool can_work_in_mpi() const;
  /// Whether other ranks need this one's work between its calls whatever it does: where peers
  /// connect to it over a network. Where not, those of its operations need it that end later.
  bool always_needed() const { return !one_node() && carrier_->name() != "mpi"; }
  /// For other waits: lets MPI work now and then, if the program has it and it carries other
  /// messages than these.
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
  /// Sleeps for a moment where the carrier does not wake this rank, longer each time.
  void nap();

  Environment environment_;
  int rank_;
  Logger logger_;
  MemoryBeacon memory_beacon_;
  std::shared_ptr<const PeerInformation> peer_information_;
  WaitPolicy wait_policy_;
  std::shared_ptr<BoardMemory> board_memory_;
  bool warned_of_boards_ = false;
  // Stops before all the rest ends: that owns memory that the carrier may still refer to.
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
