#pragma once

#include "collectives/carrier/carrier.hpp"
#include "collectives/carrier/peer_information.hpp"
#include "collectives/ucx/ucx_answers.hpp"
#include "collectives/ucx/ucx_connections.hpp"
#include "collectives/ucx/ucx_setup.hpp"

#include <deque>
#include <vector>

namespace cuboid::detail {

/// UCX: shared memory within a node, TCP or RDMA between nodes. It reports the deaths of peers.
class UcxCarrier final : public Carrier {
 public:
  /// @param start  the result of start_ucx(), without a refusal
  UcxCarrier(int rank, const PeerInformation& ranks, UcxStart start);
  ~UcxCarrier() override;
  UcxCarrier(const UcxCarrier&) = delete;
  UcxCarrier& operator=(const UcxCarrier&) = delete;

  std::string_view name() const override { return "ucx"; }
  std::vector<std::string> ways() const override;

  bool is_open(int peer) const override { return connections_.endpoint(peer) != nullptr; }
  bool has_ended(int peer) const override { return connections_.has_ended(peer); }
  const char* open(int peer) override;
  void close(int peer) override;
  void cut(int peer) override;
  void settle(std::chrono::duration<double> patience) override;

  Outcome send(int peer, const void* data, std::size_t bytes, std::uint64_t tag,
               PendingTransfer& transfer) override;
  Outcome receive(int peer, void* data, std::size_t bytes, std::uint64_t tag,
                  PendingTransfer& transfer) override;
  void cancel(PendingTransfer& transfer) override;
  bool has_come(int peer, std::uint64_t tag) override;
  void drop_unmatched(std::chrono::duration<double> patience) override;
  Outcome send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                       std::string_view text, PendingTransfer* waiter) override;

  bool may_stay_behind(int peer) const override { return by_tcp_[static_cast<std::size_t>(peer)]; }
  bool stays_behind() override;
  bool has_left(int peer) override;

  bool progress() override {
    const bool moved = ucp_worker_progress(ucx_.worker.get()) != 0;
    if (!answers_.due()) return moved;
    see_to_answers();
    return true;
  }
  bool arm() override { return !answers_.due() && ucp_worker_arm(ucx_.worker.get()) == UCS_OK; }
  void sleep(std::chrono::microseconds longest) override;
  bool wakes() const override { return true; }

  bool has_remote_access() const override { return remote_access_; }
  std::unique_ptr<ExposedMemory> expose(std::size_t bytes) override;
  std::unique_ptr<ReachedMemory> reach(int peer, std::span<const std::byte> key,
                                       std::span<std::byte> there, bool remote_access) override;
  std::unique_ptr<RemoteRequest> flush() override;
  void stop() override;

 private:
  // A control message on its way. UCX reads header and text until it reports that it is done. It
  // never reports that if the peer is gone; then the message is abandoned.
  struct Said {
    UcxCarrier* carrier = nullptr;
    std::vector<std::byte> header;
    std::string text;
    PendingTransfer* waiter = nullptr;
    bool abandoned = false;
    bool under_way = false;
  };

  struct ConnectionHeader {
    std::int32_t sender;
    bool asks;
  };

  Outcome send_now(const UcxAnswers::HeldMessage& message);
  void send_open(int peer, bool asks);
  void see_to_answers();
  static void on_connection(void* self, std::span<const std::byte> header, std::string_view text);
  Said& free_word();
  static void word_sent(void* request, ucs_status_t status, void* user);
  static void sent(void* request, ucs_status_t status, void* user);
  static void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                       void* user);
  static ucs_status_t on_word(void* listener, const void* header, std::size_t header_bytes,
                              void* data, std::size_t bytes, const ucp_am_recv_param_t* parameters);

  int rank_;
  Ucx ucx_;
  UcxConnections connections_;
  std::deque<Said> words_;  // a deque, so that words do not move
  std::vector<Said*> free_words_;
  std::size_t words_under_way_ = 0;  // the number of words under way that are not abandoned
  bool remote_access_;
  bool maps_memory_;          // peers on the node map each other's memory without UCX
  std::vector<bool> by_tcp_;  // by peer: true if TCP may carry messages to it
  UcxAnswers answers_;
  // The flush of the worker that stays_behind() looks at, if one is under way.
  UcxRequest all_left_;
  int event_descriptor_;
};

}  // namespace cuboid::detail
