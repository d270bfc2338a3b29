#include "collectives/transport/remote_memory.hpp"

#include <cuboid/error.hpp>

#include "collectives/transport/device_window.hpp"
#include "devices/memory/copy_memory.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

struct Header {
  std::uint64_t address;
  std::uint64_t bytes;
  MemoryExchange::MemoryNumber number;
  bool remote_access;
  bool on_device;
};

std::uint64_t bytes_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::shared_ptr<ExposedMemory> share_memory(Transport& transport, std::size_t bytes,
                                            const CudaDevice* device) {
  if (device != nullptr) return std::make_shared<ExposedDeviceMemory>(*device, bytes);
  // Without this check the system would hand out all its memory before it turned out to be too
  // little.
  if (bytes > bytes_of_machine()) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("rank {}: cannot share {} bytes: the machine has {} in all",
                            transport.rank(), bytes, bytes_of_machine()));
  }
  try {
    return transport.carrier().expose(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("rank {}: cannot share {} bytes: {}", transport.rank(),
                                          bytes, error.what()));
  }
}

std::vector<std::byte> describe_memory(Transport& transport, const ExposedMemory& memory,
                                       MemoryExchange::MemoryNumber number, bool on_device) {
  std::vector<std::byte> key;
  try {
    key = memory.key();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("rank {}: cannot let others reach its memory: {}",
                                          transport.rank(), error.what()));
  }
  const Header header{reinterpret_cast<std::uint64_t>(memory.bytes().data()), memory.bytes().size(),
                      number, transport.carrier().has_remote_access() && !on_device, on_device};
  std::vector<std::byte> description(sizeof header + key.size());
  std::memcpy(description.data(), &header, sizeof header);
  if (!key.empty()) std::memcpy(description.data() + sizeof header, key.data(), key.size());
  return description;
}

RemoteMemory::RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description,
                           const CudaDevice* device)
    : transport_(&transport), peer_(peer) {
  Header header{};
  std::memcpy(&header, description.data(), sizeof header);
  number_ = header.number;
  bytes_ = header.bytes;
  const bool remote_access = header.remote_access && transport.carrier().has_remote_access();
  if (peer == transport.rank() || !(transport.same_node(peer) || remote_access)) return;
  if (header.on_device) {
    if (device != nullptr)
      reached_ = reach_device_memory(transport, peer, description.subspan(sizeof header), *device);
    return;
  }
  try {
    reached_ = transport.carrier().reach(
        peer, description.subspan(sizeof header),
        {reinterpret_cast<std::byte*>(header.address), header.bytes}, remote_access);
  } catch (const Error& error) {
    throw Error(
        error.code(),
        fmt::format("rank {}: cannot reach the memory of rank {} on {}, if that is alive: {}",
                    transport.rank(), peer, transport.host(peer), error.what()));
  }
}

RemoteOperation RemoteMemory::put(std::span<const std::byte> mine, std::size_t offset) {
  if (!reached_) return transport_->memory_exchange().put(mine, peer_, number_, offset);
  transport_->messages().count_sent(peer_, mine.size());
  if (!direct().empty()) {
    copy_memory(mine.data(), direct().data() + offset, mine.size());
    return std::monostate();
  }
  return reached_->put(mine, offset);
}

RemoteOperation RemoteMemory::get(std::span<std::byte> mine, std::size_t offset) {
  if (!reached_) return transport_->memory_exchange().get(mine, peer_, number_, offset);
  transport_->messages().count_received(peer_, mine.size());
  if (!direct().empty()) {
    copy_memory(direct().data() + offset, mine.data(), mine.size());
    return std::monostate();
  }
  return reached_->get(mine, offset);
}

}  // namespace cuboid::detail
