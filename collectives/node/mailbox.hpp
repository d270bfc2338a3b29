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

/// What an entry of a mailbox holds.
enum class EntryKind : std::uint16_t {
  data,     ///< a message that fits in the entry
  segment,  ///< a message that lies in a segment
  request,  ///< a RequestToSend: the message lies in its sender's memory
  piece,    ///< a note about a piece of a requested message; the piece lies in a segment
  answer,   ///< a note that a requested message has been copied
};

/// An entry of a few cache lines. The shortest messages fit in its first line.
struct alignas(64) MailboxEntry {
  static constexpr std::size_t capacity = 232;  ///< bytes

  /// The count of entries put into this ring, this one included; written last.
  std::atomic<std::uint64_t> number = 0;
  std::uint64_t tag = 0;
  std::uint32_t bytes = 0;  ///< the length of a message that lies in the entry or in a segment
  EntryKind kind = EntryKind::data;
  alignas(8) std::array<std::byte, capacity> data = {};
};
static_assert(sizeof(MailboxEntry) == 256);

/// Where one rank finds the messages of the other ranks on its node. It has a ring of entries for
/// each of them, in memory that they map. A message moves only its own cache lines from core to
/// core, and the sender does not wait for them to arrive. Beside the rings lie the segments through
/// which the owner sends longer messages, and the claims to the pieces of the longest messages that
/// it sends.
///
/// For n ranks on a node a mailbox has n · 8 KiB of entries and at most 1 MiB of segments. The
/// system provides only the pages that have been used.
class Mailbox {
 public:
  static constexpr std::size_t claims_count = 64;

  /// Where other ranks find the mailbox. Other processes find it by process and descriptor, until
  /// close(); other threads of this process find it by `memory`, until the mailbox is moved.
  struct MailboxAddress {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;
    SegmentSizes segments;
    const std::shared_ptr<void>* memory = nullptr;
  };

  /// Makes the mailbox of this rank. Throws Error(unsupported) if the system gives no memory for
  /// it.
  /// @param senders  the number of ranks that send to it, this rank among them
  static Mailbox create(int senders, const SegmentSizes& segments);
  /// Maps the mailbox of another rank. Throws Error(unsupported) if it cannot be mapped.
  static Mailbox map(const MailboxAddress& place, int senders);

  Mailbox(Mailbox&&) = default;
  Mailbox& operator=(Mailbox&&) = default;

  /// Where the other ranks find this mailbox. Only its owner may ask.
  MailboxAddress place() const;
  /// Forbids further processes to map the mailbox. Processes that have mapped it keep it.
  void close();
  /// The process of the mailbox's owner.
  std::int64_t process() const { return process_; }

  /// The entry of the ring that the sender is to fill in next; nullptr if the ring is full. Called
  /// only by the sender with this number.
  MailboxEntry* room(int sender);
  /// Shows the owner the entry that room() gave.
  void put(int sender, MailboxEntry& entry);

  /// The next entry of a sender; nullptr if none has come. It stays until take(). Called by the
  /// owner.
  const MailboxEntry* next(int sender) const;
  void take(int sender);

  /// The segments through which the owner sends.
  Segments segments() const;
  /// The claims to the pieces of the message that the owner sends by the request in this slot.
  /// @param slot  less than claims_count
  CopyClaims& claims(std::uint64_t slot) const;

  /// True if the owner sleeps and wants to be woken. A hint: it may be late by a moment.
  bool asleep() const { return header().asleep.load(std::memory_order_relaxed) != 0; }
  void set_asleep(bool asleep) { header().asleep.store(asleep ? 1 : 0, std::memory_order_seq_cst); }
  /// Sleeps until another rank calls wake(), at most for `longest`. Called by the owner after
  /// set_asleep(true).
  void sleep(std::chrono::microseconds longest);
  void wake();

 private:
  static constexpr std::size_t ring_length = 32;

  struct Ring {
    std::array<MailboxEntry, ring_length> entries;
    alignas(64) std::atomic<std::uint64_t> taken = 0;
  };
  struct alignas(64) Header {
    std::atomic<std::uint32_t> asleep = 0;  // a futex: 1 while the owner sleeps
  };
  // What one side knows of a ring: how many entries it has itself put or taken, and a lower bound
  // of how many entries the other side has taken.
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
  Descriptor file_;  // open only in the owner
  int senders_;
  SegmentSizes segments_;
  std::shared_ptr<void> memory_;  // shared by all threads of a process that use the mailbox
  std::unique_ptr<Position[]> positions_;
};

}  // namespace cuboid::detail
