#include "collectives/node/single_copy.hpp"

#include "base/copy_bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <random>

#include <sys/uio.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

std::uint64_t random_word() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

// A long read may end early (the system copies at most 2 GiB at a time); then the rest is read in
// turn.
bool read_directly(std::int64_t process, std::uint64_t address, void* destination,
                   std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const iovec mine{static_cast<std::byte*>(destination) + done, bytes - done};
    const iovec theirs{pointer(address + done), bytes - done};
    const ssize_t copied = process_vm_readv(static_cast<pid_t>(process), &mine, 1, &theirs, 1, 0);
    if (copied <= 0) return false;
    done += static_cast<std::size_t>(copied);
  }
  return true;
}

// The system copies by string instructions. Where these are slow it copies to memory that lies
// within its page as the source does; from there to the destination it goes by other instructions.
bool read_by_way_of_the_cache(std::int64_t process, std::uint64_t address, std::byte* destination,
                              std::size_t bytes) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t most_at_once = 32 << 10;  // lies on the stack, and in the cache
  alignas(page) std::array<std::byte, most_at_once + page> memory;
  std::byte* const aside = memory.data() + address % page;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, most_at_once);
    if (!read_directly(process, address + done, aside, part)) return false;
    copy_bytes(destination + done, aside, part);
    done += part;
  }
  return true;
}

bool read(std::int64_t process, std::uint64_t address, void* destination, std::size_t bytes) {
  constexpr std::size_t shorter_than_the_way = 2048;
  const auto target = reinterpret_cast<std::uintptr_t>(destination);
  if (bytes < shorter_than_the_way || !string_copy_is_slow(target, address))
    return read_directly(process, address, destination, bytes);
  return read_by_way_of_the_cache(process, address, static_cast<std::byte*>(destination), bytes);
}

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

const std::byte* RequestToSend::start() const {
  return static_cast<const std::byte*>(pointer(data));
}

MemoryBeacon::MemoryBeacon() : secret_(std::make_unique<std::uint64_t>(random_word())) {}

MemoryProbe MemoryBeacon::probe() const {
  return {.process = getpid(), .address = address_of(secret_.get()), .secret = *secret_};
}

bool can_read(const MemoryProbe& probe) {
  std::uint64_t word = 0;
  return read(probe.process, probe.address, &word, sizeof word) && word == probe.secret;
}

bool read_part(std::int64_t process, const RequestToSend& request, std::size_t offset,
               std::size_t bytes, void* destination) {
  return read(process, request.data + offset, destination, bytes);
}

ReadResult confirm_read(std::int64_t process, const RequestToSend& request) {
  const auto age = Clock::now() - request.made;
  if (age >= age.zero() && age < request_stands) return ReadResult::complete;
  std::uint64_t ticket = 0;
  if (!read(process, request.ticket_address, &ticket, sizeof ticket)) return ReadResult::failed;
  return ticket == request.ticket ? ReadResult::complete : ReadResult::withdrawn;
}

ReadResult read_requested(std::int64_t process, const RequestToSend& request, void* destination) {
  if (!read_part(process, request, 0, request.bytes, destination)) return ReadResult::failed;
  return confirm_read(process, request);
}

SendRequests::SendRequests() : first_ticket_(random_word()) {
  constexpr std::size_t at_once = 128;
  for (std::size_t slot = 0; slot < at_once; ++slot) add_slot();
}

void SendRequests::add_slot() {
  const std::uint64_t number = slots_.size();
  free_.push_back(number);
  slots_.push_back({first_ticket_ + number, nullptr});
}

RequestToSend SendRequests::open(PendingTransfer& transfer, const void* data, std::size_t bytes) {
  if (free_.empty()) add_slot();
  const std::uint64_t number = free_.back();
  free_.pop_back();
  Slot& slot = slots_[number];
  slot.transfer = &transfer;
  return {.data = address_of(data),
          .bytes = bytes,
          .ticket_address = address_of(&slot.ticket),
          .ticket = slot.ticket,
          .slot = number,
          .made = Clock::now()};
}

PendingTransfer* SendRequests::acknowledge(std::uint64_t slot, std::uint64_t ticket) {
  if (slot >= slots_.size() || slots_[slot].ticket != ticket) return nullptr;
  PendingTransfer* const transfer = slots_[slot].transfer;
  withdraw(slot);
  return transfer;
}

void SendRequests::withdraw(std::uint64_t slot) {
  // The ticket changes before the caller may change the memory.
  std::atomic_ref(slots_[slot].ticket).fetch_add(1, std::memory_order_seq_cst);
  slots_[slot].transfer = nullptr;
  free_.push_back(slot);
}

std::vector<PendingTransfer*> SendRequests::standing() const {
  std::vector<PendingTransfer*> transfers;
  for (const Slot& slot : slots_) {
    if (slot.transfer != nullptr) transfers.push_back(slot.transfer);
  }
  return transfers;
}

}  // namespace cuboid::detail
