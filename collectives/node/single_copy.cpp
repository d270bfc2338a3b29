#include "collectives/node/single_copy.hpp"

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
bool read(std::int64_t process, std::uint64_t address, void* destination, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const iovec mine{static_cast<std::byte*>(destination) + done, bytes - done};
    const iovec theirs{pointer(address + done), bytes - done};
    const ssize_t copied = process_vm_readv(static_cast<pid_t>(process), &mine, 1, &theirs, 1, 0);
    if (copied <= 0) return false;
    done += static_cast<std::size_t>(copied);
  }
  return true;
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
