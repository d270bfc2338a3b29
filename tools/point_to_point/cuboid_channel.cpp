#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tools/point_to_point/channel.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace cuboid::detail::tools {

namespace {

class CuboidChannel final : public Channel {
 public:
  CuboidChannel(const Communicator& world, std::size_t window_bytes) : world_(world) {
    if (window_bytes > 0) window_.emplace(world, window_bytes);
  }

  void meet() override { barrier(world_); }
  void send(Bytes message, int peer) override { cuboid::send(world_, message, peer); }
  void receive(Memory message, int peer) override { cuboid::receive(world_, message, peer); }
  void start_send(Bytes message, int peer) override {
    sends_.push_back(cuboid::start_send(world_, message, peer));
  }
  void start_receive(Memory message, int peer) override {
    receives_[peer].push_back(cuboid::start_receive(world_, message, peer));
  }
  void wait_all() override {
    for (auto& [peer, requests] : receives_) wait_all_of(requests);
    wait_all_of(sends_);
  }
  bool received_from(int peer) override {
    return std::ranges::all_of(receives_[peer], [](Request& request) { return request.test(); });
  }

  Memory window() override { return window_ ? window_->local() : Memory(); }
  Bytes direct(int peer) override { return window_ ? window_->direct(peer) : Memory(); }
  void put(Bytes mine, int peer, std::size_t offset) override { window_->put(mine, peer, offset); }
  void get(Memory mine, int peer, std::size_t offset) override { window_->get(mine, peer, offset); }
  void flush() override { window_->flush(); }

 private:
  static void wait_all_of(std::vector<Request>& requests) {
    for (Request& request : requests) request.wait();
    requests.clear();
  }

  Communicator world_;
  std::optional<Window> window_;
  std::vector<Request> sends_;
  std::map<int, std::vector<Request>> receives_;  ///< by peer
};

}  // namespace

std::unique_ptr<Channel> cuboid_channel(const Communicator& world, std::size_t window_bytes) {
  return std::make_unique<CuboidChannel>(world, window_bytes);
}

}  // namespace cuboid::detail::tools
