#include "collectives/transport/transport.hpp"

#include <cuboid/error.hpp>

#include "collectives/transport/active_messages.hpp"
#include "collectives/transport/ucx_status.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::duration<double> leave_patience{3.0};
/// How long a rank that gives up stays for others to say that they do, too.
constexpr std::chrono::duration<double> abort_patience{0.5};
constexpr std::chrono::seconds goodbye_patience{1};
constexpr unsigned polls_before_watching = 100;

UcxContext make_context() {
  ucp_config_t* raw = nullptr;
  require(ucp_config_read(nullptr, nullptr, &raw), "reading the configuration");
  const UcxConfig config(raw);

  struct Setting {
    const char* name;
    const char* variable;  // the user's own choice of it wins
    const char* value;
  };
  constexpr Setting settings[] = {
      // Without it UCX silently gives up shared memory for endpoints that detect failed peers.
      {"MM_ERROR_HANDLING", "UCX_POSIX_ERROR_HANDLING", "y"},
      // Messages of some hundred bytes lie in the queue itself, not beside it.
      {"MM_FIFO_ELEM_SIZE", "UCX_SYSV_FIFO_ELEM_SIZE", "320"},
      // UCX touches every receive buffer that it sets aside, 4 MiB for each of two transports:
      // fewer
      // serve as well, and there are more as soon as these are not enough.
      {"MM_RX_BUFS_GROW", "UCX_MM_RX_BUFS_GROW", "128"},
      // Nor shall UCX remark that a setting concerns no transport it was told to use.
      {"WARN_INVALID_CONFIG", "UCX_WARN_INVALID_CONFIG", "n"},
      {"KEEPALIVE_INTERVAL", "UCX_KEEPALIVE_INTERVAL", "1s"},
      // Receives are posted ahead and segments are short: a rendezvous handshake only stalls the
      // pipeline.
      {"RNDV_THRESH", "UCX_RNDV_THRESH", "inf"},
  };
  for (const Setting& setting : settings) {
    if (std::getenv(setting.variable) != nullptr) continue;
    require(ucp_config_modify(config.get(), setting.name, setting.value), setting.name);
  }

  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  parameters.features = UCP_FEATURE_TAG | UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP;
  parameters.name = "cuboid";
  ucp_context_h context = nullptr;
  require(ucp_init(&parameters, config.get(), &context), "initialisation");
  return UcxContext(context);
}

UcxWorker make_worker(ucp_context_h context, ProgressBy progress) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  // The engine sees to it that its helper thread and the rank take turns.
  parameters.thread_mode =
      progress == ProgressBy::thread ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  require(ucp_worker_create(context, &parameters, &worker), "creating a worker");
  return UcxWorker(worker);
}

/// On all ranks or none: throws on each what the lowest one threw that could not, so that no other
/// waits for it to tell its address.
Ucx make_ucx(Bootstrap& bootstrap, const Environment& environment) {
  Ucx ucx;
  std::string failure;
  try {
    ucx.context = make_context();
    ucx.worker = make_worker(ucx.context.get(), environment.progress);
  } catch (const std::exception& error) {
    failure = fmt::format("rank {}: {}", bootstrap.rank(), error.what());
  }
  for (const auto& said : bootstrap.allgather(std::as_bytes(std::span(failure)))) {
    if (said.empty()) continue;
    throw Error(ErrorCode::unsupported,
                std::string(reinterpret_cast<const char*>(said.data()), said.size()));
  }
  return ucx;
}

std::string death(std::string_view reason) {
  return fmt::format("died ({})", reason);
}

}  // namespace

Transport::Transport(Bootstrap& bootstrap, const Environment& environment)
    : Transport(bootstrap, environment, make_ucx(bootstrap, environment)) {}

Transport::Transport(Bootstrap& bootstrap, const Environment& environment, Ucx ucx)
    : environment_(environment),
      rank_(bootstrap.rank()),
      logger_(environment.log_level, bootstrap.rank()),
      context_(std::move(ucx.context)),
      worker_(std::move(ucx.worker)) {
  if (bootstrap.size() > static_cast<int>(Tag::max_ranks)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} ranks: at most {} are possible", bootstrap.size(), Tag::max_ranks));
  }
  require(ucp_worker_get_efd(worker_.get(), &event_descriptor_), "getting the event descriptor");

  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.arg = this;
  handler.id = notice_id;
  handler.cb = &Transport::on_notice;
  require(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "setting the notice handler");
  handler.id = taken_id;
  handler.cb = &Transport::on_taken;
  require(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "setting the offer handler");
  handler.id = wake_id;
  handler.cb = [](void*, const void*, std::size_t, void*, std::size_t, const ucp_am_recv_param_t*) {
    return UCS_OK;  // that it has come is all it says
  };
  require(ucp_worker_set_am_recv_handler(worker_.get(), &handler), "setting the waking handler");

  exchange_addresses(bootstrap);
  agree_on_single_copies(bootstrap);
  wait_policy_ = policy_for_peers();
  open_mailboxes(bootstrap);
  const bool one_node = std::all_of(peers_.begin(), peers_.end(),
                                    [&](const Peer& peer) { return peer.node == at(rank_).node; });
  if (!one_node) {
    const AllGather all_gather = [&](std::span<const std::byte> mine) {
      return bootstrap.allgather(mine);
    };
    discovery_ = discover(rank_, size(), all_gather, environment_);
    if (rank_ == 0) logger_.info(fmt::format("network: {}", discovery_->evidence));
  }
}

WaitPolicy Transport::policy_for_peers() const {
  std::vector<CoreSet> here;
  for (const Peer& peer : peers_) {
    if (peer.machine == at(rank_).machine) here.push_back(peer.cores);
  }
  const CoreSet& mine = at(rank_).cores;
  return WaitPolicy::for_load(ranks_on(mine, here), mine.size());
}

double Transport::ranks_per_core() const {
  struct Machine {
    std::set<int> cores;
    double ranks = 0;
  };
  std::map<std::string, Machine> machines;
  for (const Peer& peer : peers_) {
    Machine& machine = machines[peer.machine];
    machine.cores.insert(peer.cores.begin(), peer.cores.end());
    ++machine.ranks;
  }
  double most = 1;
  for (const auto& [name, machine] : machines)
    most = std::max(most, machine.ranks / static_cast<double>(machine.cores.size()));
  return most;
}

Transport::~Transport() {
  if (silent_) return;
  announce_failures();
  send_rest_of_short_messages();
  std::vector<void*> requests;
  for (int peer = 0; peer < size(); ++peer) {
    if (at(peer).endpoint == nullptr) continue;
    if (at(peer).health == Health::good && !at(peer).connection_ended) {
      // A rank that leaves because another failed says so: its peers may not have heard yet.
      for (int failed = 0; failed < size(); ++failed) {
        if (at(failed).health != Health::failed) continue;
        requests.push_back(send_notice(peer, Notice::peer_failed, failed, at(failed).reason));
      }
      requests.push_back(send_notice(peer, Notice::goodbye, rank_, ""));
    }
    constexpr unsigned after_flush = 0;
    constexpr unsigned at_once = UCP_EP_CLOSE_FLAG_FORCE;
    const bool nothing_to_flush = at(peer).health == Health::failed || at(peer).connection_ended;
    close(at(peer), nothing_to_flush ? at_once : after_flush, requests);
  }
  settle(requests, leave_patience);
  drop_unmatched();
}

void Transport::send_rest_of_short_messages() {
  if (!short_messages_) return;
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(leave_patience);
  const auto waits = [this] {
    for (const Peer& peer : peers_) {
      const bool good = peer.health == Health::good && peer.place >= 0;
      if (good && short_messages_->sending_to(peer.place)) return true;
    }
    return false;
  };
  while (waits() && std::chrono::steady_clock::now() < until) progress();
}

// What peers sent for collectives that this rank gave up on.
void Transport::drop_unmatched() {
  constexpr std::uint64_t any_tag = 0;
  ucp_tag_recv_info_t info{};
  while (ucp_tag_message_h message = ucp_tag_probe_nb(worker_.get(), any_tag, any_tag, 1, &info)) {
    std::vector<std::byte> dropped(info.length);
    const ucp_request_param_t parameters{};
    std::vector<void*> requests = {
        ucp_tag_msg_recv_nbx(worker_.get(), dropped.data(), dropped.size(), message, &parameters)};
    if (!settle(requests, leave_patience)) return;
  }
}

ucs_status_t Transport::connect(int peer) {
  Peer& to = at(peer);
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(to.address.data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler.cb = &Transport::on_endpoint_error;
  parameters.err_handler.arg = this;
  const ucs_status_t status = ucp_ep_create(worker_.get(), &parameters, &to.endpoint);
  if (status != UCS_OK) to.endpoint = nullptr;
  return status;
}

ucp_ep_h Transport::endpoint(int peer) {
  if (at(peer).endpoint != nullptr) return at(peer).endpoint;
  const ucs_status_t status = connect(peer);
  if (status != UCS_OK) {
    mark(peer, Health::failed,
         fmt::format("cannot be connected to ({}); check UCX_TLS and UCX_NET_DEVICES",
                     ucs_status_string(status)));
    throw Error(ErrorCode::peer_failed,
                fmt::format("rank {}: rank {} {}", rank_, peer, *failure(peer)));
  }
  return at(peer).endpoint;
}

bool Transport::progress() {
  if (silent_) return false;
  bool moved = ucp_worker_progress(worker_.get()) != 0;
  // After UCX, which may say that a rank has left: what it sent before counts.
  if (short_messages_) moved |= short_messages_->progress();
  if (offers_to_end_) end_offers();
  idle_polls_ = moved ? 0 : idle_polls_ + 1;
  if (idle_polls_ > polls_before_watching) watch_peers();
  if (!unannounced_failures_.empty()) {
    announce_failures();
    // It let UCX work, which may have said that another rank has left.
    if (short_messages_) moved |= short_messages_->progress();
  }
  return moved;
}

// A receive needs no endpoint, but only an endpoint tells that the peer has died. Made only once
// nothing has come for a while: a peer that has sent its data and left cannot be connected to any
// more, and need not be.
void Transport::watch_peers() {
  for (const int peer : std::exchange(unwatched_, {})) {
    if (at(peer).endpoint != nullptr || at(peer).health != Health::good) continue;
    const ucs_status_t status = connect(peer);
    if (status != UCS_OK) suspect(peer, status);
  }
  if (suspects_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  for (const Suspect& suspect : suspects_) {
    if (now >= suspect.until)
      mark(suspect.peer, Health::gone, death(ucs_status_string(suspect.status)));
  }
  std::erase_if(suspects_,
                [&](const Suspect& suspect) { return at(suspect.peer).health != Health::good; });
}

// A goodbye, and word of a death that made the peer leave, may be read after the end of the
// connection that they came by.
void Transport::suspect(int peer, ucs_status_t status) {
  if (at(peer).health != Health::good) return;
  suspects_.push_back({peer, status, std::chrono::steady_clock::now() + goodbye_patience});
}

Pause Transport::pause(Backoff& backoff, std::chrono::steady_clock::time_point until) {
  const Pause next = backoff.next();
  if (next == Pause::sleep) watch_peers();
  if (next == Pause::yield) sched_yield();
  if (next == Pause::sleep && ucp_worker_arm(worker_.get()) == UCS_OK) sleep(until);
  return next;
}

void Transport::sleep(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  // Woken once a second at least: UCX looks after its peers only while it is called. Sooner where a
  // sender may have looked just before this rank said that it sleeps.
  const std::int64_t longest = short_messages_ ? 10 : 1000;
  const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, longest));
  if (short_messages_ && !short_messages_->fall_asleep()) return;
  pollfd event{.fd = event_descriptor_, .events = POLLIN, .revents = 0};
  poll(&event, 1, milliseconds);
  if (short_messages_) short_messages_->wake_up();
}

std::optional<std::string> Transport::failure(int peer) const {
  const Peer& other = at(peer);
  switch (other.health) {
    case Health::good: return std::nullopt;
    case Health::left: return fmt::format("on {} has left", other.host);
    case Health::gone:
    case Health::failed: return fmt::format("on {} {}", other.host, other.reason);
  }
  return std::nullopt;
}

std::string Transport::withdrawal(int peer) const {
  return fmt::format("on {} withdrew a message before it was read", at(peer).host);
}

void Transport::mark(int peer, Health health, std::string reason) {
  Peer& other = at(peer);
  if (other.health == Health::failed || (other.health == Health::left && health == Health::left) ||
      (other.health != Health::good && health == Health::gone)) {
    return;
  }
  other.health = health;
  other.reason = std::move(reason);
  ++failures_;
  offers_to_end_ = true;
}

void Transport::peer_failed(int peer, std::string_view reason) {
  const Health health = at(peer).health;
  if (health == Health::left || health == Health::failed) return;  // it said goodbye, or we know
  mark(peer, Health::failed, death(reason));
  unannounced_failures_.push_back(peer);
}

std::string Transport::missed(int peer) {
  const Peer& other = at(peer);
  if (other.health == Health::gone || (other.health == Health::good && other.connection_ended)) {
    mark(peer, Health::failed, other.reason.empty() ? "died (its connection ended)" : other.reason);
    unannounced_failures_.push_back(peer);
  }
  return *failure(peer);
}

void Transport::announce_failures() {
  for (const int peer : std::exchange(unannounced_failures_, {})) {
    notify_all(Notice::peer_failed, peer, at(peer).reason);
  }
}

void Transport::disconnect(int peer) {
  if (at(peer).endpoint == nullptr) return;
  std::vector<void*> requests;
  close(at(peer), UCP_EP_CLOSE_FLAG_FORCE, requests);
  settle(requests, leave_patience);
  mark(peer, Health::failed, "was given up");
}

void Transport::quarantine(const std::string& reason) noexcept {
  if (silent_) return;
  logger_.warn(fmt::format("rank {}: {}; it takes no further part", rank_, reason));
  notify_all(Notice::abort, rank_, reason);
  std::vector<void*> requests;
  for (int peer = 0; peer < size(); ++peer) {
    if (at(peer).endpoint != nullptr) close(at(peer), UCP_EP_CLOSE_FLAG_FORCE, requests);
    if (peer != rank_) mark(peer, Health::failed, "is out of reach: " + reason);
  }
  settle(requests, std::chrono::duration<double>(1.0));
  silent_ = true;
}

void Transport::abort(std::string_view reason) noexcept {
  notify_all(Notice::abort, rank_, reason);
  // Those that give up at the same time connect to say so: UCX prints errors where nobody is there.
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(abort_patience);
  const auto others_stay = [this] {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank_ && at(peer).health == Health::good) return true;
    }
    return false;
  };
  while (others_stay() && std::chrono::steady_clock::now() < until) {
    if (ucp_worker_progress(worker_.get()) == 0) sched_yield();
  }
}

void* Transport::send_notice(int peer, Notice notice, int subject, std::string_view reason) {
  const auto& message = notices_.emplace_back(std::make_unique<NoticeMessage>(
      NoticeMessage{{notice, rank_, subject}, std::string(reason)}));
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  return ucp_am_send_nbx(endpoint(peer), notice_id, &message->header, sizeof message->header,
                         message->reason.data(), message->reason.size(), &parameters);
}

void Transport::notify_all(Notice notice, int subject, std::string_view reason) {
  std::vector<void*> requests;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank_ || peer == subject || at(peer).health != Health::good) continue;
    try {
      requests.push_back(send_notice(peer, notice, subject, reason));
    } catch (const Error& error) {
      logger_.debug(error.what());  // it will find out by its own deadline
    }
  }
  settle(requests, std::chrono::duration<double>(1.0));
}

bool Transport::settle(std::vector<void*>& requests, std::chrono::duration<double> patience) {
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(patience);
  bool all_done = true;
  for (void* request : requests) {
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS &&
           std::chrono::steady_clock::now() < until) {
      if (ucp_worker_progress(worker_.get()) == 0) sched_yield();
    }
    all_done = all_done && ucp_request_check_status(request) != UCS_INPROGRESS;
    ucp_request_free(request);
  }
  return all_done;
}

void Transport::close(Peer& peer, unsigned flags, std::vector<void*>& requests) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = flags;
  requests.push_back(ucp_ep_close_nbx(std::exchange(peer.endpoint, nullptr), &parameters));
}

ucs_status_t Transport::on_notice(void* self, const void* header, std::size_t header_bytes,
                                  void* data, std::size_t bytes, const ucp_am_recv_param_t*) {
  NoticeHeader notice{};
  if (header_bytes != sizeof notice) return UCS_OK;
  std::memcpy(&notice, header, sizeof notice);
  Transport& transport = *static_cast<Transport*>(self);
  const std::string_view reason(static_cast<const char*>(data), bytes);
  switch (notice.notice) {
    case Notice::goodbye: transport.mark(notice.sender, Health::left, ""); break;
    case Notice::abort:
      transport.mark(notice.sender, Health::failed, fmt::format("gave up: {}", reason));
      break;
    case Notice::peer_failed:
      if (notice.subject != transport.rank_)
        transport.mark(notice.subject, Health::failed, std::string(reason));
      break;
  }
  return UCS_OK;
}

void Transport::on_endpoint_error(void* self, ucp_ep_h endpoint, ucs_status_t status) {
  Transport& transport = *static_cast<Transport*>(self);
  for (int peer = 0; peer < transport.size(); ++peer) {
    if (transport.at(peer).endpoint != endpoint) continue;
    transport.at(peer).connection_ended = true;
    transport.suspect(peer, status);
  }
}

}  // namespace cuboid::detail
