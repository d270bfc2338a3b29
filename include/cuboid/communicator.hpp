#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>
#include <cuboid/export.hpp>
#include <cuboid/traffic.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// A group of ranks that exchange messages, separate from those of every other group. A handle:
/// copies refer to the same communicator. One thread per rank uses it. Operations marked
/// "collective" must be called by all ranks of the communicator in the same order.
///
/// If an exception ends the scope of the last communicator of a bootstrap, other ranks may still
/// need this rank. Their waits then throw Error(peer_failed) with this rank's number. Call revoke()
/// if the exception is caught before that, or to tell every rank, with a reason.
///
/// Every collective throws: Error(invalid_argument) if this rank's arguments cannot be served,
/// before anything is sent; Error(mismatch) if ranks pass different sizes or, with
/// CUBOID_CHECK=collective, different calls; Error(unsupported) if a rule of with_algorithms()
/// names an algorithm that cannot serve the call; Error(timeout) and Error(peer_failed) as
/// Request::wait(). Blocking calls throw all of these. start_… functions throw the last two from
/// the request. plan_… functions, which are collective, too, throw the last two when the plan runs.
class CUBOID_API Communicator {
 public:
  /// The communicator of all ranks of a bootstrap. The bootstrap is used only during this call.
  /// Discovers the network. Collective over the bootstrap. Throws what discover() and the bootstrap
  /// throw, and Error(parse) for malformed rules in CUBOID_ALGORITHM.
  explicit Communicator(std::unique_ptr<Bootstrap> bootstrap,
                        Environment environment = Environment::read());

  /// This rank's number in the communicator, 0 to size() - 1.
  int rank() const;
  /// The number of ranks.
  int size() const;

  /// Makes one communicator per `colour` from the ranks that pass this colour. Its ranks are
  /// ordered by `key`, and ranks with equal keys by their rank in this communicator. Collective. A
  /// rank that passes a negative colour joins no communicator and gets an empty result
  /// (`!valid()`).
  Communicator split(int colour, int key = 0) const;
  /// A communicator of the same ranks whose messages are separate from this one's. Collective.
  Communicator duplicate() const;
  /// A communicator of some ranks of this one. Collective over these ranks only.
  /// @param ranks  the ranks of the new communicator, by their numbers in this one, in the order of
  ///               the new one; the same list on each of these ranks.
  /// @param among_them  a bootstrap of exactly these ranks in the same order, used only during this
  ///                    call.
  /// Throws Error(invalid_argument) if the ranks are not the bootstrap's ranks.
  Communicator subset(std::span<const int> ranks, Bootstrap& among_them) const;
  /// The same group of ranks with other rules for selecting algorithms, in the syntax of
  /// CUBOID_ALGORITHM. If the rules are empty, the model chooses. Not collective, but all ranks
  /// must use the result alike: collectives on the result and on this communicator form one
  /// sequence. A call throws Error(unsupported) if its rule names an algorithm that cannot serve
  /// it. Throws Error(parse) for malformed rules.
  Communicator with_algorithms(std::string_view rules) const;
  /// A new communicator of the surviving ranks, in their order here, to continue after
  /// Error(peer_failed). Its collectives use the remaining network. Collective over the survivors,
  /// including survivors that have not seen the failure themselves. Afterwards this communicator
  /// and its requests are unusable. Ranks that have left or called revoke() do not count as
  /// survivors. Throws Error(timeout), which names the ranks that did not call it within
  /// CUBOID_TIMEOUT.
  Communicator shrink() const;
  /// False for the result of split() with a negative colour, which can only be destroyed or
  /// assigned to.
  bool valid() const { return state_ != nullptr; }

  /// True if a peer runs on the same node as this rank. same_node() and host() are not collective.
  /// Both throw Error(invalid_argument) for a peer that is not a rank of the communicator.
  bool same_node(int peer) const;
  /// The name of the host that a rank runs on.
  std::string host(int peer) const;

  /// The library that carries messages between nodes: "ucx" or "mpi" (see CUBOID_TRANSPORT).
  std::string_view transport() const;

  /// Payload bytes and messages that this rank has exchanged with a peer since the start, over all
  /// communicators of the same bootstrap. Not collective. Throws Error(invalid_argument) for a peer
  /// that is not a rank of the communicator.
  Traffic traffic(int peer) const;
  /// The sum of traffic() over all peers.
  Traffic traffic() const;

  /// Advances operations in flight, for all communicators that share this one's connections.
  /// Returns true if anything happened. Not collective. For programs that wait for something else
  /// meanwhile.
  bool progress() const;

  /// Tells every other rank that this rank gives up. Current and later waits of the other ranks
  /// throw Error(peer_failed) with this rank's number and `reason`, and so do the waits of this
  /// rank. Not collective. Call it when an error prevents this rank from reaching its next
  /// collective.
  void revoke(std::string_view reason) const noexcept;

  /// Tells the communicator's other ranks that this rank takes no further part in it, and why.
  /// Their waits in this communicator, and this rank's, then throw Error(peer_failed). Other
  /// communicators are not affected. Not collective.
  void give_up(std::string_view reason) const;

  /// Throws on all ranks if any rank passes an error. The error thrown is that of the lowest rank
  /// that passes one, with its message unchanged. Collective. Use it before communication that a
  /// failed rank could not join.
  void throw_if_any_failed(const Error* local_error) const;

  /// The environment variables that the communicator was made with.
  const Environment& environment() const;
  /// Writes messages with this rank's number among all ranks of the bootstrap.
  const Logger& logger() const;

  /// Internal: what the collectives are built on.
  struct State;
  State& state() const { return *state_; }
  explicit Communicator(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// Runs `body` on `ranks` ranks, each a thread of this process with its own communicator, and
/// returns when all have ended. If a body throws, the waits of the other ranks throw
/// Error(peer_failed), and this function rethrows the first cause. Throws Error(out_of_memory) if
/// the system cannot start a thread for a rank; ranks that have been started end at once.
/// @param body  called once per rank, concurrently; the communicator lives until it returns.
CUBOID_API void run_ranks(int ranks, const std::function<void(Communicator&)>& body,
                          const Environment& environment = Environment::read());

}  // namespace cuboid
