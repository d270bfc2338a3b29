// waits, in this file: until the watchdog ends the process
#include "tools/command/watchdog.hpp"
#include "tools/point_to_point/channel.hpp"

#include <map>
#include <vector>

namespace cuboid::detail::tools {

namespace {

int count_of(std::size_t bytes) {
  return static_cast<int>(bytes);
}

class MpiChannel final : public Channel {
 public:
  MpiChannel(MPI_Comm group, std::size_t window_bytes, bool shared,
             std::chrono::duration<double> limit)
      : watchdog_("one of MPI's calls", limit), group_(group), shared_(shared) {
    if (window_bytes == 0) return;
    const Watchdog::WatchedCall watched(watchdog_);
    const auto bytes = static_cast<MPI_Aint>(window_bytes);
    void* mine = nullptr;
    const auto allocate = shared ? MPI_Win_allocate_shared : MPI_Win_allocate;
    allocate(bytes, 1, MPI_INFO_NULL, group, &mine, &window_);
    memory_ = {static_cast<std::byte*>(mine), window_bytes};
    MPI_Win_lock_all(0, window_);
  }
  ~MpiChannel() override {
    if (window_ == MPI_WIN_NULL) return;
    const Watchdog::WatchedCall watched(watchdog_);
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  void meet() override {
    const Watchdog::WatchedCall watched(watchdog_);
    MPI_Barrier(group_);
  }
  void send(Bytes message, int peer) override {
    const Watchdog::WatchedCall watched(watchdog_);
    MPI_Send(message.data(), count_of(message.size()), MPI_BYTE, peer, 0, group_);
  }
  void receive(Memory message, int peer) override {
    const Watchdog::WatchedCall watched(watchdog_);
    MPI_Recv(message.data(), count_of(message.size()), MPI_BYTE, peer, 0, group_,
             MPI_STATUS_IGNORE);
  }
  void start_send(Bytes message, int peer) override {
    MPI_Isend(message.data(), count_of(message.size()), MPI_BYTE, peer, 0, group_,
              &sends_.emplace_back());
  }
  void start_receive(Memory message, int peer) override {
    MPI_Irecv(message.data(), count_of(message.size()), MPI_BYTE, peer, 0, group_,
              &receives_[peer].emplace_back());
  }
  void wait_all() override {
    const Watchdog::WatchedCall watched(watchdog_);
    for (auto& [peer, requests] : receives_) wait_all_of(requests);
    wait_all_of(sends_);
  }
  bool received_from(int peer) override {
    std::vector<MPI_Request>& requests = receives_[peer];
    int all = 0;
    MPI_Testall(count_of(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }

  Memory window() override { return memory_; }
  Bytes direct(int peer) override {
    if (!shared_) return {};
    MPI_Aint bytes = 0;
    int unit = 0;
    void* memory = nullptr;
    MPI_Win_shared_query(window_, peer, &bytes, &unit, &memory);
    return {static_cast<const std::byte*>(memory), static_cast<std::size_t>(bytes)};
  }
  void put(Bytes mine, int peer, std::size_t offset) override {
    const int count = count_of(mine.size());
    MPI_Put(mine.data(), count, MPI_BYTE, peer, static_cast<MPI_Aint>(offset), count, MPI_BYTE,
            window_);
  }
  void get(Memory mine, int peer, std::size_t offset) override {
    const int count = count_of(mine.size());
    MPI_Get(mine.data(), count, MPI_BYTE, peer, static_cast<MPI_Aint>(offset), count, MPI_BYTE,
            window_);
  }
  void flush() override {
    const Watchdog::WatchedCall watched(watchdog_);
    MPI_Win_flush_all(window_);
  }

 private:
  static void wait_all_of(std::vector<MPI_Request>& requests) {
    MPI_Waitall(count_of(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }

  Watchdog watchdog_;
  MPI_Comm group_;
  bool shared_;
  MPI_Win window_ = MPI_WIN_NULL;
  Memory memory_;
  std::vector<MPI_Request> sends_;
  std::map<int, std::vector<MPI_Request>> receives_;  ///< by peer
};

}  // namespace

std::unique_ptr<Channel> mpi_channel(MPI_Comm group, std::size_t window_bytes, bool shared,
                                     std::chrono::duration<double> limit) {
  return std::make_unique<MpiChannel>(group, window_bytes, shared, limit);
}

}  // namespace cuboid::detail::tools
