#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>
#include <cuboid/log.hpp>
#include <cuboid/traffic.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

class Engine;
class Transport;
class PlanCache;

/// A group of ranks that communicate among themselves, apart from every other group. A handle:
/// copies are the same communicator. One thread per rank uses it. Every operation named collective
/// must be called by all ranks of the communicator in the same order.
class Communicator {
 public:
  /// The communicator of all ranks of a bootstrap. Collective over the bootstrap.
  explicit Communicator(std::unique_ptr<Bootstrap> bootstrap,
                        Environment environment = Environment::read());

  int rank() const;
  int size() const;

  /// Ranks of the same `colour` form a new communicator, ordered by `key`, then by their rank here.
  /// Collective. A negative colour takes no part: the result is then empty (`!valid()`).
  Communicator split(int colour, int key = 0) const;
  /// The same group again, its messages apart from this one's. Collective.
  Communicator duplicate() const;
  /// A communicator of some ranks of this one, which alone call it.
  /// @param ranks  those ranks, as numbers here, in the order of the new communicator; the same on
  /// each of them.
  /// @param among_them  lets them exchange what they have to agree on; used here only.
  Communicator subset(std::span<const int> ranks, Bootstrap& among_them) const;
  /// The same group, with other rules for which algorithm runs which call, written as
  /// CUBOID_ALGORITHM is (see algorithm_rules.hpp); empty: the model chooses. Not collective, but
  /// the ranks must use it alike: collectives on it and on this communicator count as one sequence.
  /// A call whose rule names an algorithm that cannot serve it throws Error(unsupported). Throws
  /// Error(parse) for rules that are none.
  Communicator with_algorithms(std::string_view rules) const;
  /// A new communicator of the ranks that are still there, in their order here, for going on after
  /// Error(peer_failed): its collectives use what is left of the network. Collective over those
  /// ranks, whether or not they have met the failure themselves; this communicator is of no more
  /// use afterwards, nor are requests on it. Ranks that have left or given up count as gone. Throws
  /// Error(timeout) naming the ranks that do not call it within CUBOID_TIMEOUT.
  Communicator shrink() const;
  /// False for the result of split() with a negative colour, which can only be destroyed or
  /// assigned to.
  bool valid() const { return state_ != nullptr; }

  /// Whether a peer's memory is on the same node as ours.
  bool same_node(int peer) const;
  /// The name of the host that a rank runs on.
  const std::string& host(int peer) const;

  /// Payload bytes and messages this rank exchanged with each peer (by rank here), over all
  /// communicators that share this one's transport, since it was made. Not collective.
  Traffic traffic(int peer) const;
  /// The sum of traffic() over all peers.
  Traffic traffic() const;

  /// Lets what is in flight get on, of all communicators that share this one's transport; returns
  /// whether anything happened. Not collective. For programs that wait for something else
  /// meanwhile.
  bool progress() const;

  /// Tells every other rank that this one gives up: their current and later waits throw
  /// Error(peer_failed) with this rank and `reason`. Not collective; call it when an error keeps
  /// this rank from its next collective.
  void abort(std::string_view reason) const noexcept;

  /// Makes one error everybody's: when any rank passes an error, every rank throws that of the
  /// lowest such rank, its message unchanged. Collective. Use it before communication that a failed
  /// rank could not join.
  void agree(const Error* local_error) const;

  const Environment& environment() const;
  const Logger& logger() const;

  /// What the collectives are built on; for them, not for users.
  struct State;
  State& state() const { return *state_; }
  explicit Communicator(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace cuboid
