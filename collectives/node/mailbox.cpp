#include "collectives/node/mailbox.hpp"

#include <cuboid/error.hpp>

#include "base/process_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::unsupported,
              fmt::format("shared memory for messages within the node: {}: {}", what,
                          std::strerror(errno)));
}

}  // namespace

Mailbox::Descriptor::Descriptor(Descriptor&& other) noexcept
    : number(std::exchange(other.number, -1)) {}

Mailbox::Descriptor& Mailbox::Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number, other.number);
  return *this;
}

Mailbox::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

Mailbox Mailbox::create(int senders, const SegmentSizes& segments) {
  Descriptor file(memfd_create("cuboid-mailbox", MFD_CLOEXEC));
  if (file.number < 0) refuse("memfd_create");
  const std::size_t bytes = bytes_for(senders, segments);
  if (!may_make_file_of(bytes)) {
    errno = EFBIG;
    refuse("ftruncate");
  }
  if (ftruncate(file.number, static_cast<off_t>(bytes)) != 0) refuse("ftruncate");
  const MailboxAddress place{.process = getpid(), .descriptor = file.number, .segments = segments};
  Mailbox mailbox(place, senders, map_file(file, bytes));
  mailbox.file_ = std::move(file);
  // The file's pages are zero, which is the state that claims and segments begin in. Pages that
  // nobody touches take no memory.
  new (&mailbox.header()) Header;
  for (int sender = 0; sender < senders; ++sender) new (&mailbox.ring(sender)) Ring;
  return mailbox;
}

Mailbox Mailbox::map(const MailboxAddress& place, int senders) {
  if (place.process == getpid()) return {place, senders, *place.memory};
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number < 0) refuse(path.c_str());
  return {place, senders, map_file(file, bytes_for(senders, place.segments))};
}

Mailbox::Mailbox(const MailboxAddress& place, int senders, std::shared_ptr<void> memory)
    : process_(place.process),
      file_(-1),
      senders_(senders),
      segments_(place.segments),
      memory_(std::move(memory)),
      positions_(std::make_unique<Position[]>(static_cast<std::size_t>(senders))) {}

std::shared_ptr<void> Mailbox::map_file(const Descriptor& file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (memory == MAP_FAILED) refuse("mmap");
  return {memory, [bytes](void* mapped) { munmap(mapped, bytes); }};
}

Mailbox::MailboxAddress Mailbox::place() const {
  return {
      .process = process_, .descriptor = file_.number, .segments = segments_, .memory = &memory_};
}

void Mailbox::close() {
  file_ = Descriptor(-1);
}

Mailbox::Ring& Mailbox::ring(int sender) const {
  auto* const first = static_cast<std::byte*>(memory_.get()) + sizeof(Header);
  return *std::launder(
      reinterpret_cast<Ring*>(first + static_cast<std::size_t>(sender) * sizeof(Ring)));
}

std::size_t Mailbox::claims_offset(int senders) {
  return sizeof(Header) + static_cast<std::size_t>(senders) * sizeof(Ring);
}

std::size_t Mailbox::segments_offset(int senders) {
  return claims_offset(senders) + claims_count * sizeof(CopyClaims);
}

std::size_t Mailbox::bytes_for(int senders, const SegmentSizes& segments) {
  return segments_offset(senders) + Segments::memory_for(segments);
}

Segments Mailbox::segments() const {
  return {static_cast<std::byte*>(memory_.get()) + segments_offset(senders_), segments_};
}

CopyClaims& Mailbox::claims(std::uint64_t slot) const {
  auto* const first = static_cast<std::byte*>(memory_.get()) + claims_offset(senders_);
  return std::launder(reinterpret_cast<CopyClaims*>(first))[slot];
}

void Mailbox::sleep(std::chrono::microseconds longest) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec time{seconds.count(), std::chrono::nanoseconds(longest - seconds).count()};
  syscall(SYS_futex, &header().asleep, FUTEX_WAIT, 1, &time, nullptr, 0);
}

void Mailbox::wake() {
  if (header().asleep.exchange(0) != 0)
    syscall(SYS_futex, &header().asleep, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

MailboxEntry* Mailbox::room(int sender) {
  Position& position = positions_[static_cast<std::size_t>(sender)];
  Ring& to = ring(sender);
  if (position.count - position.taken == ring_length) {
    position.taken = to.taken.load(std::memory_order_acquire);
    if (position.count - position.taken == ring_length) return nullptr;
  }
  // Meanwhile the cache line of an entry that will be filled in soon travels from the owner's core.
  constexpr std::size_t ahead = ring_length / 4;
  __builtin_prefetch(&to.entries[(position.count + ahead) % ring_length], 1);
  return &to.entries[position.count % ring_length];
}

void Mailbox::put(int sender, MailboxEntry& entry) {
  entry.number.store(++positions_[static_cast<std::size_t>(sender)].count,
                     std::memory_order_release);
}

const MailboxEntry* Mailbox::next(int sender) const {
  const Position& position = positions_[static_cast<std::size_t>(sender)];
  const MailboxEntry& entry = ring(sender).entries[position.count % ring_length];
  const bool here = entry.number.load(std::memory_order_acquire) == position.count + 1;
  return here ? &entry : nullptr;
}

void Mailbox::take(int sender) {
  Position& position = positions_[static_cast<std::size_t>(sender)];
  ring(sender).taken.store(++position.count, std::memory_order_release);
}

}  // namespace cuboid::detail
