#include "collectives/bootstrap/thread_bootstrap.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/absent_ranks.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

std::vector<std::vector<std::byte>> ThreadMeetingPoint::allgather(int rank,
                                                                  std::span<const std::byte> mine) {
  std::unique_lock lock(mutex_);
  const auto wait_for = [&](const std::vector<bool>& came, auto condition) {
    changed_.wait_for(lock, timeout_, [&] { return condition() || !given_up_.empty(); });
    if (condition()) return;  // all have come, even if one has given up since
    if (!given_up_.empty()) throw Error(ErrorCode::peer_failed, given_up_);
    const Error error(ErrorCode::timeout,
                      fmt::format("rank {}: bootstrap: {}", rank, absent_ranks(came, timeout_)));
    // This comes before another rank can arrive and take this rank for present.
    given_up_ = fmt::format("rank {} gave up: {}", rank, error.what());
    changed_.notify_all();
    throw error;
  };
  wait_for(has_left_, [&] { return departed_ == 0; });  // wait until the round before is over
  // A rank that gave up may count as arrived.
  if (!given_up_.empty()) throw Error(ErrorCode::peer_failed, given_up_);
  blobs_[static_cast<std::size_t>(rank)].assign(mine.begin(), mine.end());
  has_come_[static_cast<std::size_t>(rank)] = true;
  ++arrived_;
  changed_.notify_all();
  wait_for(has_come_, [&] { return arrived_ == ranks(); });
  auto everybodys = blobs_;
  has_left_[static_cast<std::size_t>(rank)] = true;
  if (++departed_ == ranks()) {
    arrived_ = departed_ = 0;
    has_come_.assign(has_come_.size(), false);
    has_left_.assign(has_left_.size(), false);
    changed_.notify_all();
  }
  return everybodys;
}

void ThreadMeetingPoint::give_up(int rank, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  if (given_up_.empty()) given_up_ = fmt::format("rank {} gave up: {}", rank, reason);
  changed_.notify_all();
}

}  // namespace cuboid::detail
