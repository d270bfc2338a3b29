#include "collectives/ucx/ucx_settings.hpp"

#include "collectives/bootstrap/socket_buffers.hpp"
#include "topology/machine/kernel_links.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>

namespace cuboid::detail {

namespace {

bool any_of(const std::vector<std::string>& transports, std::span<const std::string_view> names) {
  return std::ranges::any_of(transports, [&](const std::string& transport) {
    return std::ranges::any_of(names,
                               [&](std::string_view name) { return transport.starts_with(name); });
  });
}

/// The name that this UCX gives a setting of its TCP transport. Before 1.16 it lacks the
/// transport's name.
const char* tcp_setting(const char* with_transport) {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  ucp_get_version(&major, &minor, &release);
  const bool bare = major == 1 && minor < 16;
  return bare ? with_transport + std::string_view("TCP_").size() : with_transport;
}

/// Settings for buffers of TCP connections that suit the links; none if the links' rate is unknown.
std::vector<Setting> buffer_settings(const std::set<std::string>& interfaces) {
  const double rate = fastest_rate(read_kernel_links().links, interfaces);
  const auto bytes = socket_buffer_bytes(rate, kernel_limit_of_socket_buffers());
  if (!bytes) return {};
  const std::string text = std::to_string(*bytes);
  return {{tcp_setting("TCP_SNDBUF"), "UCX_TCP_SNDBUF", text},
          {tcp_setting("TCP_RCVBUF"), "UCX_TCP_RCVBUF", text}};
}

/// If a connection breaks while UCX's TCP sends a message from the caller's memory, UCX completes
/// the message twice and aborts. So UCX sends from buffers of its own, as large as the receivers'
/// buffers.
std::vector<Setting> copied_sends() {
  std::vector<Setting> settings = {{"ZCOPY_THRESH", "UCX_ZCOPY_THRESH", "inf"}};
  if (std::getenv("UCX_TCP_RX_SEG_SIZE") == nullptr) {
    settings.push_back({tcp_setting("TCP_TX_SEG_SIZE"), "UCX_TCP_TX_SEG_SIZE", "64kb"});
  }
  return settings;
}

}  // namespace

std::vector<Setting> settings_of_all() {
  return {
      // No warning about settings of transports that UCX was told not to use.
      {"WARN_INVALID_CONFIG", "UCX_WARN_INVALID_CONFIG", "n"},
      {"KEEPALIVE_INTERVAL", "UCX_KEEPALIVE_INTERVAL", "1s"},
      // Receives are posted ahead and segments are short, so a rendezvous handshake would only
      // stall the pipeline.
      {"RNDV_THRESH", "UCX_RNDV_THRESH", "inf"},
  };
}

std::vector<Setting> settings_of(const std::vector<std::string>& transports,
                                 const std::set<std::string>& interfaces) {
  constexpr std::string_view tcp[] = {"tcp/"};
  std::vector<Setting> settings;
  const auto add = [&](const std::vector<Setting>& more) {
    settings.insert(settings.end(), more.begin(), more.end());
  };
  if (has_shared_memory(transports)) {
    add({// Without this UCX silently gives up shared memory for endpoints that detect failed peers.
         {"MM_ERROR_HANDLING", "UCX_POSIX_ERROR_HANDLING", "y"},
         // Messages of some hundred bytes lie in the queue itself, not beside it.
         {"MM_FIFO_ELEM_SIZE", "UCX_POSIX_FIFO_ELEM_SIZE", "320"},
         // UCX touches every receive buffer that it sets aside, 4 MiB for each transport. Fewer
         // buffers serve as well; UCX adds more when all of them are in use.
         {"MM_RX_BUFS_GROW", "UCX_MM_RX_BUFS_GROW", "128"}});
  }
  if (any_of(transports, tcp)) {
    add(buffer_settings(interfaces));
    // Without this UCX waits for a host that does not answer as long as the kernel tries, and
    // aborts if a connection ends while it connects.
    add({{tcp_setting("TCP_CONN_NB"), "UCX_TCP_CONN_NB", "y"}});
    if (!has_remote_access(transports)) {
      add(copied_sends());
      // Without this a flush of the worker sends each peer a question and waits for its answer.
      add({{"FLUSH_WORKER_EPS", "UCX_FLUSH_WORKER_EPS", "n"}});
    }
  }
  return settings;
}

std::vector<std::string> transports_of(ucp_context_h context) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const report = open_memstream(&text, &length);
  if (report == nullptr) return {};
  ucp_context_print_info(context, report);
  std::fclose(report);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  std::istringstream lines(std::string(text, length));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("resource") == std::string::npos) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word.find('/') != std::string::npos) found.push_back(word);
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

bool has_remote_access(const std::vector<std::string>& transports) {
  constexpr std::string_view with_it[] = {"rc_", "dc_", "gga_", "ugni_rdma"};
  return any_of(transports, with_it);
}

bool has_shared_memory(const std::vector<std::string>& transports) {
  constexpr std::string_view with_it[] = {"posix/", "sysv/"};
  return any_of(transports, with_it);
}

}  // namespace cuboid::detail
