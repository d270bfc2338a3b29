#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace cuboid::detail {

struct PendingTransfer;

/// How another rank on the node finds out whether it can read this process's memory.
struct MemoryProbe {
  std::int64_t process = 0;
  std::uint64_t address = 0;  ///< where `secret` lies in that process
  std::uint64_t secret = 0;
};

/// A word in this process that others try to read.
class MemoryBeacon {
 public:
  MemoryBeacon();
  MemoryProbe probe() const;

 private:
  std::unique_ptr<std::uint64_t> secret_;
};

/// Whether the memory behind a probe can be read from here (process_vm_readv): containers and
/// hardened kernels may refuse it.
bool can_read(const MemoryProbe& probe);

/// What the receiver of a long message on its own node gets instead of the data: where to read it.
/// The sender leaves the data alone until the acknowledgement, and for request_stands at least, so
/// that only a late reader has to make sure.
struct RequestToSend {
  std::uint64_t data = 0;  ///< address in the sender
  std::uint64_t bytes = 0;
  std::uint64_t ticket_address = 0;  ///< holds `ticket` for as long as the request stands
  std::uint64_t ticket = 0;
  std::uint64_t slot = 0;
  std::uint64_t piece_bytes =
      0;  ///< of the pieces to be claimed (CopyClaims); 0: by the reader all
  Clock::time_point made;

  /// In the sender itself.
  const std::byte* start() const;
};

inline constexpr std::chrono::milliseconds request_stands{500};

enum class ReadResult {
  complete,
  withdrawn,  ///< the sender gave up meanwhile; what was read is worth nothing
  failed,     ///< errno says why
};

/// Copies a part of the data of a request straight from the sender's memory; false where errno says
/// why not.
bool read_part(std::int64_t process, const RequestToSend& request, std::size_t offset,
               std::size_t bytes, void* destination);
/// Whether what was read of a request was the sender's message all the time.
ReadResult confirm_read(std::int64_t process, const RequestToSend& request);
/// Copies the data of a request.
ReadResult read_requested(std::int64_t process, const RequestToSend& request, void* destination);

/// The requests of one sender that have not been acknowledged yet.
class SendRequests {
 public:
  /// Has memory for as many as hardly ever stand at once; more take more.
  SendRequests();

  /// A request to send `bytes` at `data`, which must stay until it is acknowledged or withdrawn.
  RequestToSend open(PendingTransfer& transfer, const void* data, std::size_t bytes);
  /// Ends a request that was served; its transfer, or nullptr where it had been withdrawn before.
  PendingTransfer* acknowledge(std::uint64_t slot, std::uint64_t ticket);
  /// Ends a request that nobody shall serve any more; not before request_stands has passed.
  void withdraw(std::uint64_t slot);
  /// The transfers whose requests stand.
  std::vector<PendingTransfer*> standing() const;

 private:
  // A slot's ticket changes when its request ends: a reader that finds another one than it was
  // given has read memory that was the caller's again.
  struct Slot {
    std::uint64_t ticket;
    PendingTransfer* transfer;
  };
  void add_slot();

  std::uint64_t first_ticket_;  // no other book's: memory may have been another process's before
  std::deque<Slot> slots_;      // never moved: readers in other processes look at the tickets
  std::vector<std::uint64_t> free_;
};

}  // namespace cuboid::detail
