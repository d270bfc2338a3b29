#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include "base/clock.hpp"
#include "collectives/carrier/carrier.hpp"
#include "collectives/carrier/peer_information.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Knows which of the other ranks are there, and how they ended: a rank has left when its work was
/// done, has died, or has given up. Ranks tell each other of such ends. Connects to peers on first
/// use.
class Peers {
 public:
  /// All references must outlive the object.
  Peers(Carrier& carrier, int rank, const PeerInformation& peer_information, const Logger& logger);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  std::string_view host(int peer) const { return peer_information_.host(peer); }
  Carrier& carrier() { return carrier_; }

  /// Opens the connection to a peer if it is not open. Throws Error(peer_failed) if it cannot be
  /// opened.
  void connect(int peer) {
    if (!at(peer).connected) open(peer);
  }
  /// True if the connection to a peer was opened, and the peer is well as far as is known.
  bool is_open(int peer) const { return at(peer).connected && good(peer); }
  /// Sends a control message to a peer. Throws like connect().
  Outcome send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                       std::string_view text = "") {
    connect(peer);
    return carrier_.send_control(peer, word, header, text);
  }
  /// From now on notices the death of a peer that this rank waits for, also if no connection to the
  /// peer exists yet.
  void watch(int peer);
  /// Opens the connections that tell of deaths, and decides on peers whose connections ended a
  /// while ago. Called when this rank has waited for some time.
  void look_after();

  /// Counts peers found to have failed or left, and other ends that executions must look at.
  std::uint64_t failures() const { return failures_; }
  bool good(int peer) const { return at(peer).health == Health::good; }
  /// True if a peer died or gave up. False if it left when its work was done.
  bool failed(int peer) const { return at(peer).health == Health::failed; }
  /// Which rank is at fault and what happened to it. The text does not name the rank, because
  /// communicators number ranks in their own ways.
  struct Failure {
    int rank;         ///< by its number in the world
    std::string did;  ///< e.g. "on n2 died (Connection reset)"
  };
  /// Why this rank cannot communicate with a peer; nullopt if it can. If the peer gave up because
  /// of another rank, that rank is at fault.
  std::optional<Failure> failure(int peer) const;
  /// Like failure(), for a peer from which this rank still needs something. If the peer's
  /// connection ended without a goodbye, the peer has failed, and the other ranks are told.
  Failure missed(int peer);
  /// True if the peer's connection is believed to be alive. This turns false sooner than failed()
  /// turns true, since failed() waits to learn why a connection has ended.
  bool connected(int peer) const { return good(peer) && !carrier_.has_ended(peer); }

  /// Why a rank leaves: because of which rank (itself if its work is done), and what happened to
  /// that rank (empty if its work is done).
  struct Goodbye {
    int subject;
    std::string reason;
  };
  /// The goodbye that this rank would say if it left now.
  Goodbye goodbye() const;
  /// Notes that a peer has said goodbye in another way than by a notice.
  void note_goodbye(int peer, const Goodbye& goodbye);
  /// Notes that communication with a peer failed, unless the peer has said goodbye before. The next
  /// announce() tells the other ranks.
  void fail(int peer, std::string_view reason);
  /// Tells all other ranks of the failures that this rank has found. Must not be called from inside
  /// the carrier.
  void announce();
  /// Gives up on a peer: everything in flight with it ends as failed.
  void disconnect(int peer);

  /// Tells every peer that this rank gives up, and cuts all connections. For transfers that cannot
  /// be ended because their data may already be coming. Afterwards the network reads and writes no
  /// caller's memory, and all peers count as failed for this rank.
  void quarantine(const std::string& reason) noexcept;
  bool quarantined() const { return quarantined_; }

  /// Tells every peer that this rank gives up, and why: because of the first failure of another
  /// rank that it knows of, otherwise because of `reason`. Waits a moment for the notices to leave.
  /// From then on this rank waits for nothing any more.
  void revoke(std::string_view reason) noexcept;
  /// The reason of this rank's revoke(); empty if it has not called revoke().
  const std::string& given_up() const { return given_up_; }

  /// Why a rank that is itself well has given up a group.
  struct GroupFailure {
    ErrorCode code;
    Failure failure;
  };
  /// Tells the other ranks of a group that an operation of the group has failed here, so that none
  /// of them waits for this rank.
  /// @param context  the group's context
  /// @param ranks    the group's ranks, by their numbers in the world
  void give_up(std::uint32_t context, std::span<const int> ranks, ErrorCode code,
               std::string_view reason) noexcept;
  /// The failure of the rank that gave up a group first, as far as this rank has been told.
  std::optional<GroupFailure> failure_of(std::uint32_t context, std::span<const int> ranks) const;
  /// Why a group cannot go on: failure_of(), or else the failure of the first of its ranks that has
  /// failed.
  std::optional<GroupFailure> known_failure_in(std::uint32_t context,
                                               std::span<const int> ranks) const;
  /// Why a peer does not do its part in a group: known_failure_in(). If the peer has given no
  /// cause, waits a moment for a notice; nullopt if none comes. Must not be called from inside the
  /// carrier.
  std::optional<GroupFailure> await_failure_of(std::uint32_t context, std::span<const int> ranks,
                                               int peer);
  /// Forgets the first failure, because the surviving ranks have agreed to go on.
  void forget_cause() { cause_.reset(); }

  /// Asks these ranks a question and returns those that do not answer within a second, though they
  /// are not known to have failed: they are stopped, or outside of any call. The first of them
  /// becomes the cause that revoke() passes on, and all other ranks are told of it.
  std::vector<int> silent_among(std::span<const int> ranks);
  /// The first failure of another rank that this rank knows of. Waits a moment for news of it,
  /// because ranks that wait for each other run into the deadline together. nullopt if no news
  /// comes.
  std::optional<Failure> await_cause();

  /// Says goodbye to the connected peers, and closes the connections when everything sent has left.
  void leave();

 private:
  // `gone` means that the peer's connection has ended without a word. It has died or, if it never
  // sent this rank anything, has left with its work done. If this rank still needs it, it counts as
  // dead.
  enum class Health : std::uint8_t { good, left, gone, failed };

  struct Cause {
    int rank;
    std::string reason;
  };

  // Three bytes for each peer. Texts are kept only for peers that are not well.
  struct PeerRecord {
    Health health = Health::good;
    bool connected = false;  // the connection has been opened
    bool said_goodbye = false;
  };
  struct Trouble {
    std::string reason = {};
    std::optional<Cause> cause = {};  // the rank because of which it gave up
  };

  // A peer to which there is no connection any more, or never was, but from which a goodbye may
  // still be on its way.
  struct Suspect {
    int peer;
    std::string reason;
    Clock::time_point until;
  };

  enum class Notice : std::uint8_t {
    goodbye,
    revoke,
    group_failed,
    peer_failed,
    question,
    answer,
    silent
  };
  struct NoticeHeader {
    Notice notice;
    ErrorCode code;  // the error of a failed group
    std::int32_t sender;
    std::int32_t subject;  // a rank, or the context of a group
  };
  struct FailedGroup {
    std::uint32_t context;
    ErrorCode code;
    int rank;
    std::string reason;
  };

  const PeerRecord& at(int peer) const { return peers_[static_cast<std::size_t>(peer)]; }
  PeerRecord& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }
  std::string reason_of(int peer) const;

  void mark(int peer, Health health, std::string reason);
  void note_cause(int rank, const std::string& reason);
  std::string on_host(int peer, std::string_view did) const;
  void answer_questions();
  void open(int peer);
  void suspect(int peer, const char* reason);
  void send_goodbye(int peer);
  void send_notice(int peer, Notice notice, int subject, std::string_view reason,
                   ErrorCode code = {});
  void notify_all(Notice notice, int subject, std::string_view reason);
  void take_in(const NoticeHeader& notice, std::string_view reason);
  void take_in_goodbye(const NoticeHeader& notice, std::string_view reason);
  void take_in_revocation(const NoticeHeader& notice, std::string_view reason);
  static void on_notice(void* self, std::span<const std::byte> header, std::string_view text);

  int rank_;
  const PeerInformation& peer_information_;
  const Logger& logger_;
  Carrier& carrier_;
  std::vector<PeerRecord> peers_;
  std::map<int, Trouble> troubles_;
  bool quarantined_ = false;
  std::string given_up_;
  std::vector<FailedGroup> failed_groups_;
  std::uint64_t failures_ = 0;
  std::optional<Cause> cause_;    // the first failure of another rank that this rank learnt of
  std::vector<int> questions_;    // the ranks that asked this rank a question
  std::set<int> unanswering_;     // the ranks that were asked and have not answered
  std::vector<int> unannounced_;  // failures found inside the carrier; announce() tells the others
  std::vector<int> unwatched_;    // peers that this rank waits for without a connection that would
                                  // tell of their death
  std::vector<Suspect> suspects_;
};

}  // namespace cuboid::detail
