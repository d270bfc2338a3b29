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

/// Which of the other ranks are there, and how the ranks tell each other that one is not: it left
/// when its work was done, it died, or it gave up. Connects to peers on first use.
class Peers {
 public:
  /// All must outlive this.
  Peers(Carrier& carrier, int rank, const PeerInformation& peer_information, const Logger& logger);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  std::string_view host(int peer) const { return peer_information_.host(peer); }
  Carrier& carrier() { return carrier_; }

  /// Opens the connection to a peer where it is not open. Throws Error(peer_failed) where there is
  /// none to be had.
  void connect(int peer) {
    if (!at(peer).connected) open(peer);
  }
  /// Sends a control message to a peer. Throws as connect().
  Outcome send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                       std::string_view text = "") {
    connect(peer);
    return carrier_.send_control(peer, word, header, text);
  }
  /// Has the death of a peer noticed that this rank waits for and may have no connection to.
  void watch(int peer);
  /// Opens the connections that tell of deaths, and decides on peers whose connections ended a
  /// while ago. For those who have waited for some time.
  void look_after();

  /// Changes whenever a peer is found to have failed or left.
  std::uint64_t failures() const { return failures_; }
  bool good(int peer) const { return at(peer).health == Health::good; }
  /// Whether a peer died or gave up, rather than left when its work was done.
  bool failed(int peer) const { return at(peer).health == Health::failed; }
  /// Who is at fault and what happened to it, without its rank, which communicators number
  /// otherwise.
  struct Failure {
    int rank;         ///< of the world
    std::string did;  ///< e.g. "on n2 died (Connection reset)"
  };
  /// Why a peer cannot be communicated with; nullopt while it can. Where it gave up because of
  /// another rank, that one is at fault.
  std::optional<Failure> failure(int peer) const;
  /// The same where the peer is needed. If its connection ended without a goodbye, it has failed,
  /// and the others are told.
  Failure missed(int peer);
  /// True while the peer's connection is believed alive. Turns false sooner than failed() turns
  /// true, which waits for word of why a connection has ended.
  bool connected(int peer) const { return good(peer) && !carrier_.has_ended(peer); }

  /// Why a rank leaves: the rank because of which it does, itself where it is done, and what
  /// happened; nothing where its work was done.
  struct Goodbye {
    int subject;
    std::string reason;
  };
  /// This rank's, if it left now.
  Goodbye goodbye() const;
  /// Notes that a peer has said goodbye, otherwise than by a word.
  void note_goodbye(int peer, const Goodbye& goodbye);
  /// Notes that communication with a peer failed, unless it has said goodbye before; the others are
  /// told by the next announce().
  void fail(int peer, std::string_view reason);
  /// Tells all others of the failures that this rank has found. Not from inside the carrier.
  void announce();
  /// Gives up on a peer: everything in flight with it ends as failed.
  void disconnect(int peer);

  /// Tells every peer that this rank gives up, and cuts all connections: for transfers that
  /// cannot be ended, as their data may already be coming. No caller's memory is written to or read
  /// from afterwards; to this rank all peers have failed.
  void quarantine(const std::string& reason) noexcept;
  bool quarantined() const { return quarantined_; }

  /// Tells every peer that this rank gives up, and why: the first failure of another rank that it
  /// knows of, else `reason`. Waits a moment for the notices to leave. This rank itself then waits
  /// for nothing any more.
  void revoke(std::string_view reason) noexcept;
  /// Why this rank has called revoke(); empty while it has not.
  const std::string& given_up() const { return given_up_; }

  /// What has made a rank give up a group, while it is well otherwise.
  struct GroupFailure {
    ErrorCode code;
    Failure failure;
  };
  /// Tells the other ranks of a group, by their numbers in the world, that an operation on it has
  /// failed here, so that none waits for this rank.
  void give_up(std::uint32_t context, std::span<const int> ranks, ErrorCode code,
               std::string_view reason) noexcept;
  /// Who of the ranks of a group gave it up first, as far as this rank was told.
  std::optional<GroupFailure> failure_of(std::uint32_t context, std::span<const int> ranks) const;
  /// Why a group cannot go on: failure_of(), or else the first of its ranks that has failed.
  std::optional<GroupFailure> known_failure_in(std::uint32_t context,
                                               std::span<const int> ranks) const;
  /// Why a peer does not do its part in a group: known_failure_in(). Where the peer has given no
  /// cause, waits a moment for word of one; nullopt where none comes. Not from inside the carrier.
  std::optional<GroupFailure> await_failure_of(std::uint32_t context, std::span<const int> ranks,
                                               int peer);
  /// Forgets the first failure: those who are left have agreed to go on.
  void forget_cause() { cause_.reset(); }

  /// Which of these ranks do not answer a question within a second, though nothing is known of
  /// their failing: those that are stopped, or outside of any call. The first of them becomes the
  /// cause that revoke() passes on, and all others are told of it.
  std::vector<int> silent_among(std::span<const int> ranks);
  /// The first failure of another rank that this one knows of. Waits a moment for word of it: who
  /// waits for those that wait for it runs into the deadline with them. nullopt where none comes.
  std::optional<Failure> await_cause();

  /// Says goodbye to the connected peers and closes the connections once what was sent has left.
  void leave();

 private:
  // Gone is one whose connection has ended without a word. It has died or, if it never sent this
  // rank anything, left when its work was done. It has died if it is missed.
  enum class Health : std::uint8_t { good, left, gone, failed };

  struct Cause {
    int rank;
    std::string reason;
  };

  // Three bytes for each; what there is to tell is kept of those that are not well.
  struct PeerRecord {
    Health health = Health::good;
    bool connected = false;  // has been opened
    bool said_goodbye = false;
  };
  struct Trouble {
    std::string reason = {};
    std::optional<Cause> cause = {};  // that it gave up for
  };

  // A peer to which there is no connection, or none any more, but whose word may be on its way.
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
    ErrorCode code;  // of a group's failure
    std::int32_t sender;
    std::int32_t subject;  // a rank, or a group's context
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
  std::optional<Cause> cause_;    // the first failure of another rank that this one learnt of
  std::vector<int> questions_;    // by whom
  std::set<int> unanswering_;     // who was asked and has not answered
  std::vector<int> unannounced_;  // found inside the carrier, told to the others outside of it
  std::vector<int> unwatched_;    // waited for, without a connection that would tell of their death
  std::vector<Suspect> suspects_;
};

}  // namespace cuboid::detail
