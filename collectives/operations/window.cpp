#include <cuboid/allgather.hpp>
#include <cuboid/barrier.hpp>
#include <cuboid/buffer.hpp>
#include <cuboid/window.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/remote_memory.hpp"
#include "collectives/transport/silent_ranks.hpp"
#include "collectives/transport/take_back.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

// A range of a peer's memory; Error where it leaves it.
void require_inside(const Communicator& communicator, const char* what, int peer,
                    std::size_t offset, std::size_t bytes, std::size_t available) {
  if (bytes <= available && offset <= available - bytes) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: window {}: {} bytes at byte {} exceed the {} bytes of rank {}",
                          communicator.rank(), what, bytes, offset, available, peer));
}

}  // namespace

struct Window::State {
  State(const Communicator& ranks, std::size_t bytes)
      : communicator(ranks.duplicate()),
        memory(
            collective_try(ranks, [&] { return share_memory(ranks.state().transport(), bytes); })),
        number(transport().memory_exchange().add(memory)),
        touched(static_cast<std::size_t>(ranks.size())) {}
  // What peers have asked for holds the memory until it has left or is cut off.
  ~State() { transport().memory_exchange().remove(number); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  using Served = std::shared_ptr<MemoryExchange::Operation>;
  using Network = std::unique_ptr<RemoteRequest>;

  Communicator communicator;  // its own: the fence at a window's end meets no others
  std::shared_ptr<ExposedMemory> memory;
  MemoryExchange::MemoryNumber number;
  std::vector<RemoteMemory> peers;
  std::vector<Served> served;            // by their owners' help; not known to be complete
  std::uint64_t failures_seen = 0;       // when these were last looked at
  std::unique_ptr<RemoteRequest> flush;  // of what the network had started before it
  bool started_since = false;            // it has started more
  std::size_t under_way = 0;             // bytes, at most
  std::vector<bool> touched;             // by peer, since all was complete
  std::uint64_t gets_started = 0;
  std::map<GetNumber, RemoteOperation> gets;  // that are not known to be complete

  Transport& transport() const { return communicator.state().transport(); }
  Engine::Lock lock() const { return communicator.state().engine->lock(); }

  /// Whether everything started is complete, as far as is known without making progress.
  /// Throws Error(peer_failed) if it never will be.
  bool complete() {
    end_flush();
    if (!flush && started_since) {
      flush = transport().carrier().flush();
      started_since = false;
      end_flush();
    }
    drop_complete();
    if (flush || !served.empty()) return false;
    if (under_way == 0) return true;
    require_connected();
    touched.assign(touched.size(), false);
    under_way = 0;
    gets.clear();
    return true;
  }

  /// The same of a get.
  bool complete(GetNumber number) {
    const auto get = gets.find(number);
    if (get == gets.end()) return true;
    if (const Served* const operation = std::get_if<Served>(&get->second)) {
      require_possible(**operation);
      if (!(*operation)->complete()) return false;
      gets.erase(get);
      return true;
    }
    const RemoteRequest& request = *std::get<Network>(get->second);
    if (request.done()) {
      gets.erase(get);
      return true;
    }
    if (!request.failed() && !lost_peer()) return false;
    // What else is under way ends first.
    const std::string reason = request.reason();
    if (!complete()) return false;
    throw Error(ErrorCode::peer_failed,
                fmt::format("{}: window: a get failed: {}", name(communicator.rank()), reason));
  }

  void drop_complete() {
    while (!served.empty() && served.back()->complete()) served.pop_back();
    if (served.empty()) return;
    require_possible(*served.back());
    if (std::exchange(failures_seen, transport().peers().failures()) == failures_seen) return;
    for (const Served& operation : served) require_possible(*operation);
  }

  /// Throws where an operation will never be complete.
  void require_possible(const MemoryExchange::Operation& operation) const {
    if (operation.complete()) return;
    Peers& peers = transport().peers();
    if (!peers.good(operation.peer)) throw_lost(peers.missed(operation.peer));
    if (operation.failed()) throw_lost({operation.peer, operation.reason()});
  }

  [[noreturn]] void throw_lost(const Peers::Failure& failure) const {
    const Group& group = *communicator.state().group;
    throw Error(ErrorCode::peer_failed,
                fmt::format("{}: window: puts and gets are lost: {} {}",
                            group.name(transport().rank()), group.name(failure.rank), failure.did));
  }

  void end_flush() {
    if (flush && flush->failed()) {
      throw Error(ErrorCode::peer_failed,
                  fmt::format("{}: window flush: puts or gets at {} failed: {}",
                              name(communicator.rank()), touched_peers(), flush->reason()));
    }
    if (flush && flush->done()) flush.reset();
  }

  /// The network ends a flush without a word when a connection ends.
  void require_connected() const {
    const std::optional<int> peer = lost_peer();
    if (!peer) return;
    const int world_rank = communicator.state().group->world_rank(*peer);
    throw_lost(transport().peers().missed(world_rank));
  }

  /// One that the network moves something to or from, and never will.
  std::optional<int> lost_peer() const {
    const Group& group = *communicator.state().group;
    for (int peer = 0; peer < group.size(); ++peer) {
      if (touched[static_cast<std::size_t>(peer)] &&
          !transport().peers().connected(group.world_rank(peer)))
        return peer;
    }
    return std::nullopt;
  }

  /// Takes the caller's memory back from the network. What peers still answer cannot be
  /// refused.
  void give_up() {
    if (flush || started_since)
      transport().peers().quarantine("puts and gets of a window do not end");
    std::vector<PendingTransfer*> transfers;
    for (const Served& operation : served) {
      if (operation->pending()) transfers.push_back(operation.get());
    }
    take_back(transport(), transfers, "a window");
    served.clear();
    flush.reset();
    started_since = false;
    touched.assign(touched.size(), false);
    under_way = 0;
    gets.clear();
  }

  /// A rank of the communicator, by its number in the world.
  std::string name(int rank) const {
    const Group& group = *communicator.state().group;
    return group.name(group.world_rank(rank));
  }

  std::string touched_peers() const {
    std::vector<std::string> peers;
    for (int peer = 0; peer < communicator.size(); ++peer) {
      if (touched[static_cast<std::size_t>(peer)]) peers.push_back(name(peer));
    }
    return fmt::format("{}", fmt::join(peers, ", "));
  }

  /// Takes note of what has been started, if it has.
  void started(const char* what, int peer, std::size_t bytes, const RemoteOperation& operation) {
    if (std::holds_alternative<std::monostate>(operation)) return;
    if (const Served* const one = std::get_if<Served>(&operation)) {
      served.push_back(*one);
    } else {
      const RemoteRequest& request = *std::get<Network>(operation);
      if (request.failed()) {
        throw Error(ErrorCode::peer_failed,
                    fmt::format("{}: window: a {} at {} failed: {}", name(communicator.rank()),
                                what, name(peer), request.reason()));
      }
      started_since = true;
    }
    under_way += bytes;
    touched[static_cast<std::size_t>(peer)] = true;
  }
};

Window::Window(const Communicator& communicator, std::size_t bytes) {
  const Engine::Lock lock = communicator.state().engine->lock();
  auto state = std::make_unique<State>(communicator, bytes);  // which an error ends within the turn
  const std::vector<std::byte> mine =
      describe_memory(state->transport(), *state->memory, state->number);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::size_t length = mine.size();
  std::vector<std::size_t> lengths(ranks);
  allgather(communicator, std::span(&length, 1), lengths);
  std::size_t total = 0;
  for (const std::size_t one : lengths) total += one;
  std::vector<std::byte> everybodys(total);
  allgatherv(communicator, mine, everybodys, lengths);

  collective_try(communicator, [&] {
    std::size_t offset = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto description = std::span(everybodys).subspan(offset, lengths[rank]);
      const int world_rank = communicator.state().group->world_rank(static_cast<int>(rank));
      state->peers.emplace_back(state->transport(), world_rank, description);
      offset += lengths[rank];
    }
  });
  state_ = std::move(state);
}

Window::Window(Window&&) noexcept = default;

Window& Window::operator=(Window&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Window::~Window() {
  if (!state_) return;
  const Engine::Lock lock = state_->lock();  // for the memory too, which goes at the end
  const auto warn_of_errors = [this](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      state_->communicator.logger().warn(error.what());
    }
  };
  warn_of_errors([this] { flush(); });
  // Also then: others may still read what is here.
  warn_of_errors([this] { barrier(state_->communicator); });
  state_.reset();
}

std::span<std::byte> Window::local() const {
  return state_->memory->bytes();
}

std::size_t Window::bytes(int peer) const {
  require_peer(state_->communicator, "window", peer);
  return state_->peers[static_cast<std::size_t>(peer)].bytes();
}

std::span<std::byte> Window::direct(int peer) const {
  require_peer(state_->communicator, "window", peer);
  if (peer == state_->communicator.rank()) return local();
  return state_->peers[static_cast<std::size_t>(peer)].direct();
}

void Window::put(std::span<const std::byte> mine, int peer, std::size_t offset) {
  const Engine::Lock lock = state_->lock();
  require_inside(state_->communicator, "put", peer, offset, ConstBuffer(mine).bytes(), bytes(peer));
  if (mine.empty()) return;
  if (peer == state_->communicator.rank()) {
    std::memmove(local().data() + offset, mine.data(), mine.size());
  } else {
    state_->started("put", peer, mine.size(),
                    state_->peers[static_cast<std::size_t>(peer)].put(mine, offset));
  }
}

Window::GetNumber Window::get(std::span<std::byte> mine, int peer, std::size_t offset) {
  const Engine::Lock lock = state_->lock();
  require_inside(state_->communicator, "get", peer, offset, Buffer(mine).bytes(), bytes(peer));
  const GetNumber number{state_->gets_started++};
  if (mine.empty()) return number;
  if (peer == state_->communicator.rank()) {
    std::memmove(mine.data(), local().data() + offset, mine.size());
  } else {
    RemoteOperation get = state_->peers[static_cast<std::size_t>(peer)].get(mine, offset);
    state_->started("get", peer, mine.size(), get);
    if (!std::holds_alternative<std::monostate>(get)) state_->gets.emplace(number, std::move(get));
  }
  return number;
}

bool Window::test() {
  const Engine::Lock lock = state_->lock();
  state_->communicator.state().engine->progress();
  return state_->complete();
}

void Window::flush() {
  wait_until([this] { return state_->complete(); }, "flush");
}

void Window::wait(GetNumber get) {
  wait_until([this, get] { return state_->complete(get); }, "get");
}

template <class Condition>
void Window::wait_until(Condition complete, const char* what) {
  const Engine::Lock lock = state_->lock();
  Transport& transport = state_->transport();
  const auto timeout = std::chrono::duration_cast<Clock::duration>(transport.environment().timeout);
  // A long transfer has time for as long as something moves.
  const auto latest = Clock::now() + timeout +
                      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                          static_cast<double>(state_->under_way) / slowest_bytes_per_second));
  auto until = Clock::now() + timeout;
  Backoff backoff(transport.wait_policy());
  try {
    while (!complete()) {
      if (state_->communicator.state().engine->progress()) {
        backoff.reset();
        until = std::min(Clock::now() + timeout, latest);
      } else if (transport.pause(backoff, until) != Pause::spin && Clock::now() >= until) {
        throw Error(ErrorCode::timeout,
                    fmt::format("{}: window {}: puts and gets at {} not complete after {} s "
                                "(CUBOID_TIMEOUT){}; on networks without remote memory access a "
                                "peer must be inside "
                                "a Cuboid call now and then",
                                state_->name(state_->communicator.rank()), what,
                                state_->touched_peers(), transport.environment().timeout.count(),
                                silent_ranks(transport, *state_->communicator.state().group)));
      }
    }
  } catch (const Error&) {
    state_->give_up();
    throw;
  }
}

void Window::fence() {
  flush();
  barrier(state_->communicator);
}

}  // namespace cuboid
