#include "collectives/transport/remote_memory.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
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
};

std::uint64_t bytes_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

SharedMemory::SharedMemory(Transport& transport, std::size_t bytes)
    : transport_(&transport), bytes_(bytes) {
  // UCX would take all that there is before it finds that it is not enough.
  if (bytes > bytes_of_machine()) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("rank {}: cannot share {} bytes: the machine has {} in all",
                            transport.rank(), bytes, bytes_of_machine()));
  }
  ucp_mem_map_params_t parameters{};
  parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  parameters.length = std::max<std::size_t>(bytes, 1);  // UCX maps no empty memory
  parameters.flags = UCP_MEM_MAP_ALLOCATE;
  ucs_status_t status = ucp_mem_map(transport.ucx_context(), &parameters, &handle_);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  if (status == UCS_OK) status = ucp_mem_query(handle_, &attributes);
  if (status != UCS_OK) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("rank {}: cannot share {} bytes: {}; is /dev/shm large enough?",
                            transport.rank(), bytes, ucs_status_string(status)));
  }
  address_ = static_cast<std::byte*>(attributes.address);
  std::memset(address_, 0, bytes);
}

SharedMemory::~SharedMemory() {
  if (handle_ != nullptr) ucp_mem_unmap(transport_->ucx_context(), handle_);
}

std::vector<std::byte> SharedMemory::description(MemoryExchange::MemoryNumber number) const {
  void* key = nullptr;
  std::size_t key_bytes = 0;
  const ucs_status_t status = ucp_rkey_pack(transport_->ucx_context(), handle_, &key, &key_bytes);
  if (status != UCS_OK) {
    throw Error(ErrorCode::unsupported,
                fmt::format("rank {}: cannot let others reach its memory: UCX: {}; check UCX_TLS",
                            transport_->rank(), ucs_status_string(status)));
  }
  const Header header{reinterpret_cast<std::uint64_t>(address_), bytes_, number,
                      transport_->has_remote_access()};
  std::vector<std::byte> description(sizeof header + key_bytes);
  std::memcpy(description.data(), &header, sizeof header);
  std::memcpy(description.data() + sizeof header, key, key_bytes);
  ucp_rkey_buffer_release(key);
  return description;
}

RemoteRequest::RemoteRequest(void* request) {
  if (UCS_PTR_IS_PTR(request)) {
    request_.reset(request);
  } else {
    immediate_ = UCS_PTR_STATUS(request);
  }
}

RemoteRequest RemoteRequest::flush(Transport& transport) {
  const ucp_request_param_t parameters{};
  return RemoteRequest(ucp_worker_flush_nbx(transport.ucx_worker(), &parameters));
}

ucs_status_t RemoteRequest::status() const {
  return request_ ? ucp_request_check_status(request_.get()) : immediate_;
}

std::string RemoteRequest::reason() const {
  return fmt::format("UCX: {}", ucs_status_string(status()));
}

RemoteMemory::RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description)
    : transport_(&transport), peer_(peer) {
  Header header{};
  std::memcpy(&header, description.data(), sizeof header);
  number_ = header.number;
  address_ = header.address;
  bytes_ = header.bytes;
  const bool remote_access = header.remote_access && transport.has_remote_access();
  if (peer == transport.rank() || !(transport.same_node(peer) || remote_access)) return;

  ucp_rkey_h key = nullptr;
  const ucs_status_t status = ucp_ep_rkey_unpack(transport.peers().endpoint(peer),
                                                 description.data() + sizeof header, &key);
  if (status != UCS_OK) {
    throw Error(ErrorCode::unsupported,
                fmt::format("rank {}: cannot reach the memory of rank {}: UCX: {}; check UCX_TLS",
                            transport.rank(), peer, ucs_status_string(status)));
  }
  key_.reset(key);
  void* mapped = nullptr;
  if (ucp_rkey_ptr(key, address_, &mapped) == UCS_OK) {
    direct_ = {static_cast<std::byte*>(mapped), bytes_};
  } else if (!remote_access) {
    key_.reset();
  }
}

RemoteOperation RemoteMemory::put(std::span<const std::byte> mine, std::size_t offset) {
  if (!key_) return transport_->memory_exchange().put(mine, peer_, number_, offset);
  transport_->messages().count_sent(peer_, mine.size());
  if (!direct_.empty()) {
    std::memcpy(direct_.data() + offset, mine.data(), mine.size());
    return std::monostate();
  }
  const ucp_request_param_t parameters{};
  return RemoteRequest(ucp_put_nbx(transport_->peers().endpoint(peer_), mine.data(), mine.size(),
                                   address_ + offset, key_.get(), &parameters));
}

RemoteOperation RemoteMemory::get(std::span<std::byte> mine, std::size_t offset) {
  if (!key_) return transport_->memory_exchange().get(mine, peer_, number_, offset);
  transport_->messages().count_received(peer_, mine.size());
  if (!direct_.empty()) {
    std::memcpy(mine.data(), direct_.data() + offset, mine.size());
    return std::monostate();
  }
  const ucp_request_param_t parameters{};
  return RemoteRequest(ucp_get_nbx(transport_->peers().endpoint(peer_), mine.data(), mine.size(),
                                   address_ + offset, key_.get(), &parameters));
}

}  // namespace cuboid::detail
