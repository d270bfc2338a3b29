#include "collectives/transport/peers.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/simulated.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::duration<double> leave_patience{3.0};
constexpr std::chrono::duration<double> notice_patience{1.0};
/// How long a rank that gives up waits for other ranks to give up as well.
constexpr std::chrono::milliseconds revoke_patience{500};
constexpr std::chrono::seconds goodbye_patience{1};
constexpr std::chrono::seconds answer_patience{1};
/// How long a rank waits to hear why a peer left or took a message back.
constexpr std::chrono::seconds word_patience{1};
/// Longer than answer_patience, for which ranks that question a silent rank wait.
constexpr std::chrono::seconds cause_patience{2};

std::string death(std::string_view reason) {
  return fmt::format("died ({})", reason);
}

}  // namespace

Peers::Peers(Carrier& carrier, int rank, const PeerInformation& peer_information,
             const Logger& logger)
    : rank_(rank),
      peer_information_(peer_information),
      logger_(logger),
      carrier_(carrier),
      peers_(static_cast<std::size_t>(peer_information.size())) {
  carrier_.tell_ends([this](int peer, const char* reason) { suspect(peer, reason); });
  carrier_.listen(ControlMessage::notice, {&Peers::on_notice, this});
}

void Peers::open(int peer) {
  if (!carrier_.is_open(peer)) {
    if (const char* const reason = carrier_.open(peer)) {
      mark(peer, Health::gone, fmt::format("cannot be connected to ({})", reason));
      throw Error(ErrorCode::peer_failed,
                  fmt::format("rank {}: rank {} {}", rank_, peer, failure(peer)->did));
    }
  }
  at(peer).connected = true;
}

// A receive needs no connection, but only a connection tells that the peer has died. The connection
// is opened only if nothing has come for a while. A peer that has sent its data and left cannot be
// connected to, and need not be.
void Peers::watch(int peer) {
  if (!at(peer).connected) unwatched_.push_back(peer);
}

void Peers::look_after() {
  // What arrives meanwhile may be the message that the rank waits for, or a goodbye. After a
  // goodbye there may be nobody to connect to.
  while (!unwatched_.empty() && !carrier_.progress()) {
    const int peer = unwatched_.back();
    unwatched_.pop_back();
    if (at(peer).connected || !good(peer)) continue;
    const char* const reason = carrier_.is_open(peer) ? nullptr : carrier_.open(peer);
    at(peer).connected = reason == nullptr;
    if (reason != nullptr) suspect(peer, reason);
  }
  if (suspects_.empty()) return;
  const auto now = Clock::now();
  for (const Suspect& suspect : suspects_) {
    if (now >= suspect.until) mark(suspect.peer, Health::gone, death(suspect.reason));
  }
  std::erase_if(suspects_, [&](const Suspect& suspect) { return !good(suspect.peer); });
}

// After the end of a peer's connection this rank may still read the peer's goodbye, or hear of a
// death that made the peer leave. So it waits a moment before it takes the peer for dead.
void Peers::suspect(int peer, const char* reason) {
  if (!good(peer)) return;
  suspects_.push_back({peer, reason, Clock::now() + goodbye_patience});
}

std::string Peers::on_host(int peer, std::string_view did) const {
  return fmt::format("on {} {}", host(peer), did);
}

std::string Peers::reason_of(int peer) const {
  const auto trouble = troubles_.find(peer);
  return trouble == troubles_.end() ? "" : trouble->second.reason;
}

std::optional<Peers::Failure> Peers::failure(int peer) const {
  if (good(peer)) return std::nullopt;
  const auto trouble = troubles_.find(peer);
  if (trouble != troubles_.end() && trouble->second.cause) {
    const Cause& cause = *trouble->second.cause;
    return Failure{cause.rank, on_host(cause.rank, cause.reason)};
  }
  const std::string reason = reason_of(peer);
  const bool has_left = at(peer).health == Health::left && reason.empty();
  return Failure{peer, on_host(peer, has_left ? "has left" : reason)};
}

Peers::Failure Peers::missed(int peer) {
  const std::string known = reason_of(peer);
  const bool left_by_exception = at(peer).health == Health::left && !known.empty();
  if (at(peer).health == Health::gone || left_by_exception ||
      (good(peer) && carrier_.has_ended(peer))) {
    mark(peer, Health::failed, known.empty() ? "died (its connection ended)" : known);
    note_cause(peer, reason_of(peer));
    unannounced_.push_back(peer);
  }
  return *failure(peer);
}

void Peers::note_cause(int rank, const std::string& reason) {
  if (!cause_) cause_ = Cause{rank, reason};
}

void Peers::mark(int peer, Health health, std::string reason) {
  PeerRecord& other = at(peer);
  if (other.health == Health::failed || (other.health == Health::left && health == Health::left) ||
      (other.health != Health::good && health == Health::gone)) {
    return;
  }
  other.health = health;
  troubles_[peer].reason = std::move(reason);
  ++failures_;
}

void Peers::fail(int peer, std::string_view reason) {
  const Health health = at(peer).health;
  if (health == Health::left || health == Health::failed) return;
  mark(peer, Health::failed, death(reason));
  note_cause(peer, reason_of(peer));
  unannounced_.push_back(peer);
}

void Peers::announce() {
  answer_questions();
  for (const int peer : std::exchange(unannounced_, {}))
    notify_all(Notice::peer_failed, peer, reason_of(peer));
}

void Peers::disconnect(int peer) {
  if (!carrier_.is_open(peer)) return;
  carrier_.cut(peer);
  at(peer).connected = false;
  carrier_.settle(leave_patience);
  mark(peer, Health::failed, "was given up");
}

void Peers::quarantine(const std::string& reason) noexcept {
  if (quarantined_) return;
  logger_.warn(fmt::format("rank {}: {}; it takes no further part", rank_, reason));
  notify_all(Notice::revoke, rank_, reason);
  for (int peer = 0; peer < size(); ++peer) {
    if (carrier_.is_open(peer)) carrier_.cut(peer);
    at(peer).connected = false;
    if (peer != rank_) mark(peer, Health::failed, "is out of reach: " + reason);
  }
  carrier_.settle(notice_patience);
  quarantined_ = true;
}

void Peers::revoke(std::string_view reason) noexcept {
  given_up_ = reason.empty() ? "no reason was given" : reason;
  ++failures_;
  notify_all(Notice::revoke, cause_ ? cause_->rank : rank_,
             cause_ ? std::string_view(cause_->reason) : reason);
  if (simulated) return;  // no time would pass
  // Ranks that give up at the same time connect to each other to say so. UCX prints errors if the
  // other rank is not there any more.
  const auto until = Clock::now() + revoke_patience;
  const auto others_stay = [this] {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank_ && good(peer)) return true;
    }
    return false;
  };
  while (others_stay() && Clock::now() < until) {
    if (!carrier_.progress()) sched_yield();
  }
}

void Peers::give_up(std::uint32_t context, std::span<const int> ranks, ErrorCode code,
                    std::string_view reason) noexcept {
  for (const int peer : ranks) {
    if (peer == rank_ || !good(peer)) continue;
    try {
      send_notice(peer, Notice::group_failed, static_cast<int>(context), reason, code);
    } catch (const Error& error) {
      logger_.debug(error.what());  // the peer has just gone
    }
  }
  carrier_.settle(notice_patience);
}

std::optional<Peers::GroupFailure> Peers::failure_of(std::uint32_t context,
                                                     std::span<const int> ranks) const {
  for (const FailedGroup& group : failed_groups_) {
    // Groups without a common rank may have the same number.
    if (group.context == context && std::ranges::find(ranks, group.rank) != ranks.end())
      return GroupFailure{group.code, {group.rank, on_host(group.rank, "failed: " + group.reason)}};
  }
  return std::nullopt;
}

std::optional<Peers::GroupFailure> Peers::known_failure_in(std::uint32_t context,
                                                           std::span<const int> ranks) const {
  if (auto told = failure_of(context, ranks)) return told;
  const auto dead = std::ranges::find_if(ranks, [this](int rank) { return failed(rank); });
  if (dead == ranks.end()) return std::nullopt;
  return GroupFailure{ErrorCode::peer_failed, *failure(*dead)};
}

// A peer's goodbye may arrive before the notice of the failure that made the peer leave. A peer
// that cannot be connected to may have left.
std::optional<Peers::GroupFailure> Peers::await_failure_of(std::uint32_t context,
                                                           std::span<const int> ranks, int peer) {
  const auto gave_no_cause = [&] {
    const PeerRecord& one = at(peer);
    return one.health == Health::good || (one.health == Health::gone && !one.connected) ||
           (one.health == Health::left && !troubles_[peer].cause);
  };
  for (const auto until = Clock::now() + word_patience;;) {
    if (auto known = known_failure_in(context, ranks)) return known;
    if (simulated || !gave_no_cause() || Clock::now() >= until) return std::nullopt;
    if (!carrier_.progress()) sched_yield();
    answer_questions();
  }
}

void Peers::leave() {
  announce();
  for (int peer = 0; peer < size(); ++peer) {
    if (!carrier_.is_open(peer)) continue;
    at(peer).connected = true;
    // A peer that said goodbye may wait for this rank's answer to its connection: UCX 1.13 aborts
    // in the peer if the answer does not come.
    if ((failed(peer) && !at(peer).said_goodbye) || carrier_.has_ended(peer)) {
      carrier_.cut(peer);
    } else {
      if (good(peer)) send_goodbye(peer);
      carrier_.close(peer);
    }
    at(peer).connected = false;
  }
  carrier_.settle(leave_patience);
}

// A rank that leaves because of another rank's failure says so, because its peers may not have
// heard of the failure yet. A rank whose work an exception ends may not have done all that its
// peers expect, so it gives the exception as the cause. It does not revoke anything: what it has
// sent before may be all that the others wait for.
void Peers::send_goodbye(int peer) {
  for (int other = 0; other < size(); ++other) {
    if (failed(other)) send_notice(peer, Notice::peer_failed, other, reason_of(other));
  }
  const Goodbye goodbye = this->goodbye();
  send_notice(peer, Notice::goodbye, goodbye.subject, goodbye.reason);
}

Peers::Goodbye Peers::goodbye() const {
  if (cause_) return {cause_->rank, cause_->reason};
  const bool unwinds = std::uncaught_exceptions() > 0;
  return {rank_, unwinds ? "gave up: an exception ended its work; look at its own message" : ""};
}

void Peers::note_goodbye(int peer, const Goodbye& goodbye) {
  take_in_goodbye({Notice::goodbye, {}, peer, goodbye.subject}, goodbye.reason);
}

void Peers::send_notice(int peer, Notice notice, int subject, std::string_view reason,
                        ErrorCode code) {
  const NoticeHeader header{notice, code, rank_, subject};
  send_control(peer, ControlMessage::notice, std::as_bytes(std::span(&header, 1)), reason);
}

void Peers::notify_all(Notice notice, int subject, std::string_view reason) {
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank_ || peer == subject || !good(peer)) continue;
    try {
      send_notice(peer, notice, subject, reason);
    } catch (const Error& error) {
      logger_.debug(error.what());  // the peer will find out by its own deadline
    }
  }
  carrier_.settle(notice_patience);
}

void Peers::take_in(const NoticeHeader& notice, std::string_view reason) {
  if (notice.sender < 0 || notice.sender >= size() || notice.subject < 0) return;
  if (notice.notice == Notice::group_failed) {
    const auto context = static_cast<std::uint32_t>(notice.subject);
    failed_groups_.push_back({context, notice.code, notice.sender, std::string(reason)});
    ++failures_;
    return;
  }
  if (notice.subject >= size()) return;
  switch (notice.notice) {
    case Notice::goodbye: take_in_goodbye(notice, reason); break;
    case Notice::revoke: take_in_revocation(notice, reason); break;
    case Notice::group_failed: break;
    case Notice::peer_failed:
      if (notice.subject == rank_) break;
      mark(notice.subject, Health::failed, std::string(reason));
      note_cause(notice.subject, reason_of(notice.subject));
      break;
    case Notice::question: questions_.push_back(notice.sender); break;
    case Notice::answer: unanswering_.erase(notice.sender); break;
    case Notice::silent:
      if (notice.subject != rank_) note_cause(notice.subject, std::string(reason));
      break;
  }
}

// A rank that has left counts as missing only for a rank that needs something that it has not sent.
void Peers::take_in_goodbye(const NoticeHeader& notice, std::string_view reason) {
  at(notice.sender).said_goodbye = true;
  if (!good(notice.sender)) return;
  const bool of_its_own = notice.subject == notice.sender;
  mark(notice.sender, Health::left, of_its_own ? std::string(reason) : "");
  if (reason.empty() || notice.subject == rank_) return;
  if (!of_its_own) troubles_[notice.sender].cause = Cause{notice.subject, std::string(reason)};
  note_cause(notice.subject, std::string(reason));
}

// A rank that gives up because of another rank names that rank as the cause.
void Peers::take_in_revocation(const NoticeHeader& notice, std::string_view reason) {
  if (!good(notice.sender)) return;
  const bool of_its_own = notice.subject == notice.sender;
  mark(notice.sender, Health::failed,
       of_its_own ? fmt::format("gave up: {}", reason)
                  : fmt::format("gave up: rank {} {}", notice.subject, reason));
  if (!of_its_own && notice.subject != rank_)
    troubles_[notice.sender].cause = Cause{notice.subject, std::string(reason)};
  const Failure first = *failure(notice.sender);
  note_cause(first.rank, of_its_own || notice.subject == rank_ ? reason_of(notice.sender)
                                                               : std::string(reason));
}

std::vector<int> Peers::silent_among(std::span<const int> ranks) {
  for (const int peer : ranks) {
    if (peer == rank_ || failed(peer) || at(peer).health == Health::left) continue;
    unanswering_.insert(peer);
    try {
      if (good(peer)) send_notice(peer, Notice::question, rank_, "");
    } catch (const Error& error) {
      logger_.debug(error.what());  // the peer has just gone
    }
  }
  const auto waits = [this] {
    return std::ranges::any_of(unanswering_, [this](int peer) { return good(peer); });
  };
  const auto until = Clock::now() + answer_patience;
  while (waits() && Clock::now() < until) {
    if (!carrier_.progress()) sched_yield();
    answer_questions();
  }
  std::set<int> silent = std::exchange(unanswering_, {});
  std::erase_if(silent, [this](int peer) { return at(peer).health == Health::left; });
  if (!silent.empty()) {
    constexpr const char* what = "does not answer";
    note_cause(*silent.begin(), what);
    notify_all(Notice::silent, *silent.begin(), what);
  }
  return {silent.begin(), silent.end()};
}

std::optional<Peers::Failure> Peers::await_cause() {
  const auto until = Clock::now() + cause_patience;
  while (!cause_ && Clock::now() < until) {
    if (!carrier_.progress()) sched_yield();
    answer_questions();
  }
  if (!cause_) return std::nullopt;
  return Failure{cause_->rank, on_host(cause_->rank, cause_->reason)};
}

void Peers::answer_questions() {
  if (questions_.empty()) return;
  for (const int peer : std::exchange(questions_, {})) {
    try {
      if (good(peer)) send_notice(peer, Notice::answer, rank_, "");
    } catch (const Error& error) {
      logger_.debug(error.what());  // the peer has just gone
    }
  }
  carrier_.settle(notice_patience);
}

void Peers::on_notice(void* self, std::span<const std::byte> header, std::string_view text) {
  NoticeHeader notice{};
  if (header.size() != sizeof notice) return;
  std::memcpy(&notice, header.data(), sizeof notice);
  static_cast<Peers*>(self)->take_in(notice, text);
}

}  // namespace cuboid::detail
