#pragma once

#include "collectives/node/pipe.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cuboid::detail {

/// What a short message is: the caller's data, a request to send long ones, or its answer.
enum class ShortKind : std::uint16_t { data, request, answer };

/// A message of a few cache lines together with what tells it from others; the shortest fit one.
struct alignas(64) ShortMessage {
  static constexpr std::size_t longest = 232;  ///< bytes

  std::atomic<std::uint64_t> number = 0;  ///< of messages in this place; written last
  std::uint64_t tag = 0;
  std::uint16_t bytes = 0;
  ShortKind kind = ShortKind::data;
  std::array<std::byte, longest> data = {};
};
static_assert(sizeof(ShortMessage) == 256);

/// Where one rank finds the short messages of the others on its node: a ring for each of them in
/// memory that they map. Of one message only its own cache lines travel from core to core, and
/// nobody waits for them to arrive; through UCX's shared queue it takes two more.
class Mailbox {
 public:
  /// A file that others can map, by process and descriptor, until close().
  struct Place {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;
  };

  /// The mailbox of this rank, for `senders` ranks, itself among them. Throws
  /// Error(unsupported) if the system gives no memory for it.
  static Mailbox create(int senders);
  /// Another rank's. Throws Error(unsupported) if it cannot be mapped.
  static Mailbox map(const Place& place, int senders);

  Mailbox(Mailbox&&) = default;
  Mailbox& operator=(Mailbox&&) = default;

  /// Where the others find it. Belongs to the one that made it.
  Place place() const;
  /// No more than those who have mapped it already will.
  void close();

  /// As the sender with this number, the only one: puts a message into its ring; false where that
  /// is full. `bytes` at most ShortMessage::longest.
  bool put(int sender, ShortKind kind, std::uint64_t tag, const void* data, std::size_t bytes);

  /// As the owner: the next message of a sender, nullptr if none has come. Stays until taken.
  const ShortMessage* next(int sender) const;
  void take(int sender);

  /// Where two processes have mailboxes: long messages to the owner.
  PipeMemory& pipe() const;

  /// Whether the owner sleeps and wants to be woken: a hint, which may come a moment late.
  bool asleep() const { return header().asleep.load(std::memory_order_relaxed) != 0; }
  void set_asleep(bool asleep) { header().asleep.store(asleep ? 1 : 0, std::memory_order_seq_cst); }
  /// As the owner who has said so: sleeps until another rank calls wake(), or for so long.
  void sleep(std::chrono::microseconds longest);
  void wake();

 private:
  static constexpr std::size_t ring_length = 32;

  struct Ring {
    std::array<ShortMessage, ring_length> messages;
    alignas(64) std::atomic<std::uint64_t> taken = 0;
  };
  struct alignas(64) Header {
    std::atomic<std::uint32_t> asleep = 0;  // a futex
  };
  // What one side knows of a ring: how many messages it has put or taken, and at least how many the
  // other side has taken.
  struct Position {
    std::uint64_t count = 0;
    std::uint64_t taken = 0;
  };
  struct Unmap {
    std::size_t bytes;
    void operator()(void* memory) const;
  };
  struct Descriptor {
    explicit Descriptor(int number) : number(number) {}
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    int number;
  };

  static std::size_t bytes_for(int senders);
  Mailbox(Descriptor file, int senders);
  Header& header() const { return *static_cast<Header*>(memory_.get()); }
  Ring& ring(int sender) const;

  Descriptor file_;
  std::unique_ptr<void, Unmap> memory_;
  std::unique_ptr<Position[]> positions_;
};

}  // namespace cuboid::detail
