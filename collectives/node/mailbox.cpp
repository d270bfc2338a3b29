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
              fmt::format("shared memory for short messages: {}: {}", what, std::strerror(errno)));
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

void Mailbox::Unmap::operator()(void* memory) const {
  munmap(memory, bytes);
}

Mailbox Mailbox::create(int senders) {
  Descriptor file(memfd_create("cuboid-mailbox", MFD_CLOEXEC));
  if (file.number < 0) refuse("memfd_create");
  const std::size_t bytes = bytes_for(senders);
  if (!may_make_file_of(bytes)) {
    errno = EFBIG;
    refuse("ftruncate");
  }
  if (ftruncate(file.number, static_cast<off_t>(bytes)) != 0) refuse("ftruncate");
  Mailbox mailbox(std::move(file), senders);
  new (&mailbox.header()) Header;
  for (int sender = 0; sender < senders; ++sender) new (&mailbox.ring(sender)) Ring;
  // The file's pages are zero, as a new pipe's are; those that are not used take no memory.
  return mailbox;
}

Mailbox Mailbox::map(const Place& place, int senders) {
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number < 0) refuse(path.c_str());
  Mailbox mailbox(std::move(file), senders);
  mailbox.close();
  return mailbox;
}

Mailbox::Mailbox(Descriptor file, int senders)
    : file_(std::move(file)),
      positions_(std::make_unique<Position[]>(static_cast<std::size_t>(senders))) {
  const std::size_t bytes = bytes_for(senders);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number, 0);
  if (memory == MAP_FAILED) refuse("mmap");
  memory_ = std::unique_ptr<void, Unmap>(memory, Unmap{bytes});
}

Mailbox::Place Mailbox::place() const {
  return {.process = getpid(), .descriptor = file_.number};
}

void Mailbox::close() {
  file_ = Descriptor(-1);
}

Mailbox::Ring& Mailbox::ring(int sender) const {
  auto* const first = static_cast<std::byte*>(memory_.get()) + sizeof(Header);
  return *std::launder(
      reinterpret_cast<Ring*>(first + static_cast<std::size_t>(sender) * sizeof(Ring)));
}

std::size_t Mailbox::bytes_for(int senders) {
  const std::size_t rings = sizeof(Header) + static_cast<std::size_t>(senders) * sizeof(Ring);
  return rings + (senders == 2 ? sizeof(PipeMemory) : 0);
}

PipeMemory& Mailbox::pipe() const {
  auto* const first = static_cast<std::byte*>(memory_.get());
  return *std::launder(reinterpret_cast<PipeMemory*>(first + sizeof(Header) + 2 * sizeof(Ring)));
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

bool Mailbox::put(int sender, ShortKind kind, std::uint64_t tag, const void* data,
                  std::size_t bytes) {
  Position& position = positions_[static_cast<std::size_t>(sender)];
  Ring& to = ring(sender);
  if (position.count - position.taken == ring_length) {
    position.taken = to.taken.load(std::memory_order_acquire);
    if (position.count - position.taken == ring_length) return false;
  }
  ShortMessage& message = to.messages[position.count % ring_length];
  message.kind = kind;
  message.tag = tag;
  message.bytes = static_cast<std::uint16_t>(bytes);
  if (bytes > 0) std::memcpy(message.data.data(), data, bytes);
  message.number.store(++position.count, std::memory_order_release);
  return true;
}

const ShortMessage* Mailbox::next(int sender) const {
  const Position& position = positions_[static_cast<std::size_t>(sender)];
  const ShortMessage& message = ring(sender).messages[position.count % ring_length];
  const bool here = message.number.load(std::memory_order_acquire) == position.count + 1;
  return here ? &message : nullptr;
}

void Mailbox::take(int sender) {
  Position& position = positions_[static_cast<std::size_t>(sender)];
  ring(sender).taken.store(++position.count, std::memory_order_release);
}

}  // namespace cuboid::detail
