#include "collectives/ucx/ucx_memory.hpp"

#include <cuboid/error.hpp>

#include "collectives/ucx/ucx_handles.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

class UcxExposedMemory final : public ExposedMemory {
 public:
  UcxExposedMemory(ucp_context_h context, std::size_t bytes) : context_(context), bytes_(bytes) {
    ucp_mem_map_params_t parameters{};
    parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    parameters.length = std::max<std::size_t>(bytes, 1);  // UCX maps no empty memory
    parameters.flags = UCP_MEM_MAP_ALLOCATE;
    ucs_status_t status = ucp_mem_map(context_, &parameters, &handle_);
    ucp_mem_attr_t attributes{};
    attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
    if (status == UCS_OK) status = ucp_mem_query(handle_, &attributes);
    if (status != UCS_OK) {
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("UCX: {}; is /dev/shm large enough?", ucs_status_string(status)));
    }
    address_ = static_cast<std::byte*>(attributes.address);
    std::memset(address_, 0, bytes);
  }
  ~UcxExposedMemory() override {
    if (handle_ != nullptr) ucp_mem_unmap(context_, handle_);
  }
  UcxExposedMemory(const UcxExposedMemory&) = delete;
  UcxExposedMemory& operator=(const UcxExposedMemory&) = delete;

  std::span<std::byte> bytes() const override { return {address_, bytes_}; }

  std::vector<std::byte> key() const override {
    void* key = nullptr;
    std::size_t key_bytes = 0;
    const ucs_status_t status = ucp_rkey_pack(context_, handle_, &key, &key_bytes);
    if (status != UCS_OK) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("UCX: {}; check UCX_TLS", ucs_status_string(status)));
    }
    const auto* const first = static_cast<const std::byte*>(key);
    std::vector<std::byte> packed(first, first + key_bytes);
    ucp_rkey_buffer_release(key);
    return packed;
  }

 private:
  ucp_context_h context_;
  ucp_mem_h handle_ = nullptr;
  std::byte* address_ = nullptr;
  std::size_t bytes_;
};

class UcxRemoteRequest final : public RemoteRequest {
 public:
  /// Takes over what a function of UCX returned.
  explicit UcxRemoteRequest(void* request) {
    if (UCS_PTR_IS_PTR(request)) {
      request_.reset(request);
    } else {
      immediate_ = UCS_PTR_STATUS(request);
    }
  }
  bool done() const override { return status() == UCS_OK; }
  bool failed() const override { return UCS_STATUS_IS_ERR(status()); }
  std::string reason() const override {
    return fmt::format("UCX: {}", ucs_status_string(status()));
  }

 private:
  ucs_status_t status() const {
    return request_ ? ucp_request_check_status(request_.get()) : immediate_;
  }

  UcxRequest request_;               // nullptr if the request ended at once
  ucs_status_t immediate_ = UCS_OK;  // how it ended then
};

class UcxReachedMemory final : public ReachedMemory {
 public:
  UcxReachedMemory(ucp_ep_h endpoint, UcxRemoteKey key, std::span<std::byte> there)
      : endpoint_(endpoint),
        address_(reinterpret_cast<std::uint64_t>(there.data())),
        key_(std::move(key)) {
    void* mapped = nullptr;
    if (ucp_rkey_ptr(key_.get(), address_, &mapped) == UCS_OK)
      direct_ = {static_cast<std::byte*>(mapped), there.size()};
  }

  std::span<std::byte> direct() const override { return direct_; }
  std::unique_ptr<RemoteRequest> put(std::span<const std::byte> mine, std::size_t offset) override {
    const ucp_request_param_t parameters{};
    return std::make_unique<UcxRemoteRequest>(ucp_put_nbx(
        endpoint_, mine.data(), mine.size(), address_ + offset, key_.get(), &parameters));
  }
  std::unique_ptr<RemoteRequest> get(std::span<std::byte> mine, std::size_t offset) override {
    const ucp_request_param_t parameters{};
    return std::make_unique<UcxRemoteRequest>(ucp_get_nbx(
        endpoint_, mine.data(), mine.size(), address_ + offset, key_.get(), &parameters));
  }

 private:
  ucp_ep_h endpoint_;
  std::uint64_t address_;
  UcxRemoteKey key_;
  std::span<std::byte> direct_;
};

}  // namespace

std::unique_ptr<ExposedMemory> expose_by_ucx(ucp_context_h context, std::size_t bytes) {
  return std::make_unique<UcxExposedMemory>(context, bytes);
}

std::unique_ptr<ReachedMemory> reach_by_ucx(ucp_ep_h endpoint, std::span<const std::byte> key,
                                            std::span<std::byte> there, bool remote_access) {
  ucp_rkey_h unpacked = nullptr;
  const ucs_status_t status = ucp_ep_rkey_unpack(endpoint, key.data(), &unpacked);
  if (status != UCS_OK) {
    throw Error(ErrorCode::unsupported,
                fmt::format("UCX: {}; check UCX_TLS", ucs_status_string(status)));
  }
  auto reached = std::make_unique<UcxReachedMemory>(endpoint, UcxRemoteKey(unpacked), there);
  if (reached->direct().empty() && !remote_access) return nullptr;
  return reached;
}

std::unique_ptr<RemoteRequest> flush_by_ucx(ucp_worker_h worker) {
  const ucp_request_param_t parameters{};
  return std::make_unique<UcxRemoteRequest>(ucp_worker_flush_nbx(worker, &parameters));
}

}  // namespace cuboid::detail
