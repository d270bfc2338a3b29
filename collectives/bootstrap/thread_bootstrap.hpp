#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The place where the ranks of one process, each a thread, leave their blobs for each other.
class ThreadMeetingPoint {
 public:
  ThreadMeetingPoint(int ranks, std::chrono::duration<double> timeout)
      : timeout_(timeout),
        blobs_(static_cast<std::size_t>(ranks)),
        has_come_(blobs_.size()),
        has_left_(blobs_.size()) {}

  int ranks() const { return static_cast<int>(blobs_.size()); }
  std::vector<std::vector<std::byte>> allgather(int rank, std::span<const std::byte> mine);

  /// Says that a rank will not come any more. The other ranks get an error that names it.
  void give_up(int rank, std::string_view reason);

 private:
  const std::chrono::duration<double> timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<std::byte>> blobs_;
  std::vector<bool> has_come_;  // ranks that have come in this round
  std::vector<bool> has_left_;
  int arrived_ = 0;
  int departed_ = 0;
  std::string given_up_;
};

class ThreadBootstrap : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<ThreadMeetingPoint> meeting_point, int rank)
      : meeting_point_(std::move(meeting_point)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return meeting_point_->ranks(); }
  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    return meeting_point_->allgather(rank_, mine);
  }

 private:
  std::shared_ptr<ThreadMeetingPoint> meeting_point_;
  int rank_;
};

}  // namespace cuboid::detail
