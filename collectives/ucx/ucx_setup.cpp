#include "collectives/ucx/ucx_setup.hpp"

#include <cuboid/error.hpp>

#include "base/process_limits.hpp"
#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/network_interfaces.hpp"
#include "collectives/ucx/ucx_handles.hpp"
#include "collectives/ucx/ucx_settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

UcxContext make_context(const std::vector<Setting>& choices) {
  ucp_config_t* raw = nullptr;
  require(ucp_config_read(nullptr, nullptr, &raw), "reading the configuration");
  const UcxConfig config(raw);
  for (const std::vector<Setting>& settings : {settings_of_all(), choices}) {
    for (const Setting& setting : settings) {
      if (std::getenv(setting.variable) != nullptr) continue;
      require(ucp_config_modify(config.get(), setting.name, setting.value.c_str()), setting.name);
    }
  }

  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  parameters.features = UCP_FEATURE_TAG | UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP;
  parameters.name = "cuboid";
  ucp_context_h context = nullptr;
  require(ucp_init(&parameters, config.get(), &context), "initialisation");
  return UcxContext(context);
}

/// True if POSIX shared memory can serve this number of ranks on the node. In containers /dev/shm
/// may be missing or tiny.
bool has_posix_memory(std::size_t ranks) {
  constexpr std::size_t for_each_rank = std::size_t{8} << 20;
  struct statvfs folder {};
  return may_make_file_of(for_each_rank) && access("/dev/shm", W_OK) == 0 &&
         statvfs("/dev/shm", &folder) == 0 &&
         folder.f_bavail * folder.f_frsize >= ranks * for_each_rank;
}

/// The devices to use: these interfaces of TCP, and all devices of other networks. nullopt if there
/// are none.
std::optional<std::string> devices_of(const std::set<std::string>& interfaces,
                                      const std::vector<std::string>& transports) {
  if (interfaces.empty()) return std::nullopt;
  std::set<std::string> devices;
  for (const std::string& transport : transports) {
    const auto slash = transport.find('/');
    const std::string device = transport.substr(slash + 1);
    const bool of_tcp = transport.starts_with("tcp/");
    if (device.starts_with("memory") || (of_tcp && !interfaces.contains(device))) continue;
    devices.insert(device);
  }
  if (devices.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(devices, ","));
}

/// The transports and devices that UCX may use.
std::vector<Setting> ways_between(const PeerInformation& ranks, int rank,
                                  const std::set<std::string>& interfaces) {
  const bool posix_serves = has_posix_memory(ranks.ranks_of_node(rank).size());
  // Segments of SysV memory stay behind when a process is killed; POSIX segments are unlinked at
  // once.
  if (ranks.on_one_node()) {
    return {{"TLS", "UCX_TLS", posix_serves ? "posix,cma,self" : "posix,sysv,cma,self"}};
  }
  std::vector<Setting> ways;
  if (posix_serves) ways.push_back({"TLS", "UCX_TLS", "^sysv"});
  const auto devices = devices_of(interfaces, transports_of(make_context(ways).get()));
  if (devices) ways.push_back({"NET_DEVICES", "UCX_NET_DEVICES", *devices});
  return ways;
}

UcxContext make_context_for(const PeerInformation& ranks, int rank) {
  const std::set<std::string> interfaces =
      ranks.on_one_node() ? std::set<std::string>{} : ranks.interfaces_to_others();
  std::vector<Setting> settings = ways_between(ranks, rank, interfaces);
  const std::vector<std::string> transports = transports_of(make_context(settings).get());
  for (Setting& setting : settings_of(transports, interfaces)) settings.push_back(setting);
  return make_context(settings);
}

/// Throws if no device leads to other nodes.
void require_way_out(const std::vector<std::string>& transports) {
  const bool any = std::ranges::any_of(transports, [](const std::string& transport) {
    return !transport.substr(transport.find('/') + 1).starts_with("memory");
  });
  if (any) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("UCX has no device that leads to other nodes (it has {}); check UCX_TLS "
                          "and UCX_NET_DEVICES",
                          fmt::join(transports, ", ")));
}

/// Throws if this process may not open or map what UCX needs for a rank: UCX 1.13 ends the program
/// then.
void require_means() {
  constexpr std::size_t descriptors = 16;
  if (!has_free_descriptors(descriptors)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("UCX needs {} file descriptors for a rank, and fewer are free of the "
                            "{} that this process may have: raise the limit (ulimit -n)",
                            descriptors, most_descriptors()));
  }
  constexpr std::uint64_t bytes = 24 << 20;  // for the stack of UCX's thread, and for buffers
  if (mappable_bytes().value_or(bytes) < bytes) {
    throw Error(ErrorCode::unsupported,
                fmt::format("UCX needs {} MiB of addresses for a rank, and this process may map {} "
                            "MiB more: raise the limit (ulimit -v)",
                            bytes >> 20, *mappable_bytes() >> 20));
  }
}

UcxWorker make_worker(ucp_context_h context, bool one_thread) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  // The engine lets only one thread at a time call UCX: the rank's own, or the helper that works
  // between its calls.
  parameters.thread_mode = one_thread ? UCS_THREAD_MODE_SINGLE : UCS_THREAD_MODE_SERIALIZED;
  ucp_worker_h worker = nullptr;
  require(ucp_worker_create(context, &parameters, &worker), "creating a worker");
  return UcxWorker(worker);
}

std::vector<std::byte> address_of(ucp_worker_h worker) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  require(ucp_worker_get_address(worker, &address, &bytes), "getting the worker's address");
  const auto* first = reinterpret_cast<const std::byte*>(address);
  std::vector<std::byte> copy(first, first + bytes);
  ucp_worker_release_address(worker, address);
  return copy;
}

}  // namespace

UcxStart start_ucx(Bootstrap& bootstrap, const PeerInformation& ranks,
                   const Environment& environment) {
  UcxStart start;
  std::vector<std::byte> address;
  std::string failure;
  try {
    require_means();
    start.ucx.context = make_context_for(ranks, bootstrap.rank());
    if (!ranks.on_one_node()) require_way_out(transports_of(start.ucx.context.get()));
    const bool one_thread = ranks.on_one_node() && environment.progress == ProgressBy::calls;
    start.ucx.worker = make_worker(start.ucx.context.get(), one_thread);
    require(ucp_worker_get_efd(start.ucx.worker.get(), &start.event_descriptor),
            "getting the event descriptor");
    address = address_of(start.ucx.worker.get());
  } catch (const std::exception& error) {
    failure = fmt::format("rank {}: {}", bootstrap.rank(), error.what());
  }
  BlobWriter mine;
  mine.add(failure);
  mine.add(address);
  for (const auto& said : bootstrap.allgather(mine.bytes())) {
    BlobReader reader(said);
    if (std::string text = reader.text(); !text.empty() && start.refusal.empty())
      start.refusal = std::move(text);
    start.addresses.push_back(reader.vector<std::byte>());
  }
  return start;
}

}  // namespace cuboid::detail
