#pragma once

#include <cuboid/environment.hpp>

#include "collectives/bootstrap/mpi_domain.hpp"
#include "collectives/bootstrap/simulated.hpp"
#include "collectives/carrier/carrier.hpp"
#include "collectives/mpi/mpi_requests.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cuboid::detail {

/// MPI's point-to-point messages. Cuboid's tags have 64 bits and MPI's as few as 15, and a posted
/// receive cannot always be taken back. So the carrier matches messages by itself: an envelope with
/// the tag and the length goes ahead. Short data travels in the envelope. Long data follows under
/// an MPI tag that the envelope names, straight into the memory of the receive that it matches.
///
/// MPI sends a long message only when the receiver has answered. Over cables that are busy both
/// ways the answers wait behind the data of the other direction, and half of the rate is lost. So
/// data to other nodes may be cut into parts that are short enough to be sent without an answer.
class MpiCarrier final : public Carrier {
 public:
  /// @param on_node  the ranks of this node, this rank included
  /// @param part_bytes  the most bytes of a part of the data to other nodes
  MpiCarrier(std::shared_ptr<MpiDomain> domain, std::vector<int> on_node,
             std::size_t part_bytes = MpiMessage::longest_part);
  ~MpiCarrier() override;
  MpiCarrier(const MpiCarrier&) = delete;
  MpiCarrier& operator=(const MpiCarrier&) = delete;

  std::string_view name() const override { return "mpi"; }
  std::vector<std::string> ways() const override;

  bool is_open(int peer) const override;
  bool has_ended(int peer) const override;
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

  // MPI itself sends what it has taken while the program waits in MPI.
  bool may_stay_behind(int) const override { return false; }
  bool stays_behind() override { return false; }
  bool has_left(int) override { return true; }

  bool progress() override;
  bool arm() override { return true; }
  void sleep(std::chrono::microseconds longest) override;
  bool wakes() const override { return simulated; }  // MPI has no event that ends a sleep

  bool has_remote_access() const override { return false; }
  std::unique_ptr<ExposedMemory> expose(std::size_t bytes) override;
  std::unique_ptr<ReachedMemory> reach(int peer, std::span<const std::byte> key,
                                       std::span<std::byte> there, bool remote_access) override;
  std::unique_ptr<RemoteRequest> flush() override;
  void stop() override;

 private:
  enum class EnvelopeKind : std::uint16_t { message, announcement, word };
  struct Envelope {
    std::uint64_t tag = 0;
    std::uint64_t bytes = 0;  // the length of the message
    std::uint32_t instance = 0;
    std::int32_t data_tag = 0;
    std::uint32_t part_bytes = 0;
    EnvelopeKind kind = EnvelopeKind::message;
    ControlMessage word = ControlMessage::notice;
    std::uint8_t header_bytes = 0;
  };
  static constexpr std::size_t longest_inside = 4096;
  static constexpr std::size_t envelope_bytes = sizeof(Envelope) + longest_inside;
  static constexpr std::size_t envelopes_posted = 16;

  // A receive that no envelope has matched yet.
  struct PostedReceive {
    std::uint64_t tag;
    void* data;
    PendingTransfer* transfer;
  };
  // An envelope that no receive has matched yet.
  struct Come {
    Envelope envelope;
    std::vector<std::byte> inside;
    MpiMessage* fetching = nullptr;  // receives the data into memory of its own
  };
  // A notice that counts only when all data sent before it has come.
  struct DelayedNotice {
    Envelope envelope;
    std::vector<std::byte> inside;
  };
  struct MpiPeer {
    bool open = false;
    bool ended = false;
    std::vector<PostedReceive> posted;
    std::deque<Come> come;
    std::deque<DelayedNotice> notices;
    std::size_t receives = 0;  // the number of receives of data under way
  };

  MpiPeer& at(int peer) { return peers_[peer]; }
  std::uint32_t part_bytes_to(int peer) const;
  void post_envelope(std::size_t slot);
  void take_in(int peer, std::span<const std::byte> message);
  void take_in_word(const Envelope& envelope, std::span<const std::byte> inside);
  void land(int peer, const Envelope& envelope, std::span<const std::byte> inside,
            const PostedReceive& receive);
  void fetch(int peer, Come& come);
  void fetched(MpiPeer& peer, MpiMessage& message);
  void deliver_notices(MpiPeer& peer);
  void drop(int peer, const Envelope& envelope);
  int receive_data(MpiMessage& message, int peer, void* data, const Envelope& envelope);
  bool send_envelope(int peer, const Envelope& envelope, std::span<const std::byte> first,
                     std::span<const std::byte> second, PendingTransfer* transfer = nullptr);
  bool deliver();
  bool after(const MpiRequests::CompletedPart& ended);
  void note_failure(int peer, int status);
  void note_deaths();
  void close_domain();

  std::shared_ptr<MpiDomain> domain_;
  std::uint32_t instance_;
  std::vector<int> on_node_;
  std::size_t part_bytes_;
  std::unordered_map<int, MpiPeer> peers_;
  MpiRequests requests_;
  std::vector<std::vector<std::byte>> envelopes_;  // a ring of memory for envelopes to come
  std::vector<MPI_Status> filled_;  // the status of each envelope that has come, by slot
  std::vector<bool> full_;
  std::size_t next_envelope_ = 0;
  std::vector<PendingTransfer*> cancelled_;
  bool slept_through_something_ = false;
  bool closing_ = false;  // some connections are being closed; their data leaves first
  std::string reason_;    // the text of the last failure
};

}  // namespace cuboid::detail
