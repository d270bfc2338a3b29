#pragma once

#include "collectives/node/copy_claims.hpp"
#include "collectives/node/segments.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace cuboid::detail {

/// What an entry of a mailbox is.
enum class EntryKind : std::uint16_t {
  data,     ///< a message that fits the entry
  segment,  ///< a message that lies in a segment
  request,  ///< a message that lies in its sender's memory: a RequestToSend
  piece,    ///< a piece of such a message, in a segment
  answer,   ///< such a message was copied
};

/// An entry of a few cache lines; the shortest messages fit its first.
struct alignas(64) MailboxEntry {
  static constexpr std::size_t capacity = 232;  ///< bytes

  std::atomic<std::uint64_t> number = 0;  ///< of entries in this place; written last
  std::uint64_t tag = 0;
  std::uint32_t bytes = 0;  ///< of the message, where it lies in the entry or in a segment
  EntryKind kind = EntryKind::data;
  alignas(8) std::array<std::byte, capacity> data = {};
};
static_assert(sizeof(MailboxEntry) == 256);

/// Where one rank finds the messages of the others on its node: a ring of entries for each of them
/// in memory that they map. Of one message only its own cache lines travel from core to core, and
/// nobody waits for them to arrive. Beside them lie the segments through which the owner sends
/// longer messages, and the claims to its longest ones.
///
/// For n ranks on a node a mailbox takes n times 8 KiB and 1 MiB for segments at most, of which the
/// system gives what has been used.
class Mailbox {
 public:
  static constexpr std::size_t claims_count = 64;

  /// Where other processes find it, by process and descriptor, until close(); and other threads of
  /// this process, until it is moved.
  struct MailboxAddress {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;
    SegmentSizes segments;
    const std::shared_ptr<void>* memory = nullptr;
  };

  /// The mailbox of this rank, for `senders` ranks, itself among them. Throws
  /// Error(unsupported) if the system gives no memory for it.
  static Mailbox create(int senders, const SegmentSizes& segments);
  /// Another rank's. Throws Error(unsupported) if it cannot be mapped.
  static Mailbox map(const MailboxAddress& place, int senders);

  Mailbox(Mailbox&&) = default;
  Mailbox& operator=(Mailbox&&) = default;

  /// Where the others find it. Belongs to the one that made it.
  MailboxAddress place() const;
  /// No more than those who have mapped it already will.
  void close();
  /// The owner's process.
  std::int64_t process() const { return process_; }

  /// As the sender with this number, the only one: the entry of its ring to be filled in next;
  /// nullptr where that is full.
  MailboxEntry* room(int sender);
  /// Has the owner find what room() gave.
  void put(int sender, MailboxEntry& entry);

  /// As the owner: the next entry of a sender, nullptr if none has come. Stays until taken.
  const MailboxEntry* next(int sender) const;
  void take(int sender);

  /// Through which the owner sends.
  Segments segments() const;
  /// To the message that the owner sends by the request in this slot, below claims_count.
  CopyClaims& claims(std::uint64_t slot) const;

  /// Whether the owner sleeps and wants to be woken: a hint, which may come a moment late.
  bool asleep() const { return header().asleep.load(std::memory_order_relaxed) != 0; }
  void set_asleep(bool asleep) { header().asleep.store(asleep ? 1 : 0, std::memory_order_seq_cst); }
  /// As the owner who has said so: sleeps until another rank calls wake(), or for so long.
  void sleep(std::chrono::microseconds longest);
  void wake();

 private:
  static constexpr std::size_t ring_length = 32;

  struct Ring {
    std::array<MailboxEntry, ring_length> entries;
    alignas(64) std::atomic<std::uint64_t> taken = 0;
  };
  struct alignas(64) Header {
    std::atomic<std::uint32_t> asleep = 0;  // a futex
  };
  // What one side knows of a ring: how many entries it has put or taken, and at least how many the
  // other side has taken.
  struct Position {
    std::uint64_t count = 0;
    std::uint64_t taken = 0;
  };
  struct Descriptor {
    explicit Descriptor(int number) : number(number) {}
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    int number;
  };

  Mailbox(const MailboxAddress& place, int senders, std::shared_ptr<void> memory);
  static std::size_t claims_offset(int senders);
  static std::size_t segments_offset(int senders);
  static std::size_t bytes_for(int senders, const SegmentSizes& segments);
  static std::shared_ptr<void> map_file(const Descriptor& file, std::size_t bytes);
  Header& header() const { return *static_cast<Header*>(memory_.get()); }
  Ring& ring(int sender) const;

  std::int64_t process_;
  Descriptor file_;  // the owner's
  int senders_;
  SegmentSizes segments_;
  std::shared_ptr<void> memory_;  // of all threads of a process that use it
  std::unique_ptr<Position[]> positions_;
};

}  // namespace cuboid::detail
