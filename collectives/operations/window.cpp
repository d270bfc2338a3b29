#include <cuboid/buffer.hpp>
#include <cuboid/collectives.hpp>
#include <cuboid/window.hpp>

#include "base/copy_bytes.hpp"
#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/operations/vectors.hpp"
#include "collectives/operations/window_operations.hpp"
#include "collectives/transport/remote_memory.hpp"
#include "collectives/transport/silent_ranks.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/copy_memory.hpp"
#include "devices/memory/host_bytes.hpp"
#include "devices/memory/memory_space.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

// Throws Error(invalid_argument) if this rank's memory is a null pointer or reaches beyond its
// allocation on a device, or if the range of the peer's memory exceeds it.
void require_inside(const Communicator& communicator, const char* what, const ConstBuffer& mine,
                    int peer, std::size_t offset, std::size_t available) {
  const std::size_t bytes = mine.bytes();
  if (bytes > 0 && mine.data == nullptr) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {}: window {}: {} bytes lie nowhere: give a pointer to their "
                            "memory, or a count of 0",
                            communicator.rank(), what, bytes));
  }
  if (bytes > 0 && may_lie_on_device(mine.data)) {
    try {
      memory_space_of_buffer(mine.data, bytes, what);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("rank {}: window {}", communicator.rank(), error.what()));
    }
  }
  if (bytes <= available && offset <= available - bytes) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("rank {}: window {}: {} bytes at byte {} exceed the "
                          "{} bytes of rank {}",
                          communicator.rank(), what, bytes, offset, available, peer));
}

bool lies_on_device(std::span<const std::byte> buffer) {
  return !memory_space_of(buffer.data()).on_host();
}

/// Copies within this rank. In the host's memory both may overlap.
void copy_own(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (lies_on_device({from, bytes}) || lies_on_device({to, bytes}))
    return copy_memory(from, to, bytes);
  copy_bytes(to, from, bytes);
}

/// The device of this number, nullptr without a number. Throws Error(unsupported) or
/// Error(invalid_argument).
const CudaDevice* device_at(const Communicator& communicator, std::optional<int> number) {
  if (!number) return nullptr;
  return &CudaDevice::at(communicator.environment(), *number);
}

}  // namespace

struct Window::State {
  State(const Communicator& ranks, std::size_t bytes, std::optional<int> on)
      : communicator(ranks.duplicate()),
        device(collective_try(ranks, [&] { return device_at(ranks, on); })),
        memory(collective_try(
            ranks, [&] { return share_memory(ranks.state().transport(), bytes, device); })),
        number(transport().memory_exchange().add(memory)),
        operations(communicator) {}
  // Requests of peers that are being served keep the memory alive until the
  // data has left or is cut off.
  ~State() { transport().memory_exchange().remove(number); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Communicator communicator;  // the window's own, so that its last fence meets
                              // no other operation
  const CudaDevice* device;   // nullptr: the host has the memory
  std::shared_ptr<ExposedMemory> memory;
  MemoryExchange::MemoryNumber number;
  std::vector<RemoteMemory> peers;
  WindowOperations operations;
  /// The number of exceptions under way when the window was made.
  const int exceptions = std::uncaught_exceptions();
  std::uint64_t gets_started = 0;
  /// The memory through which the network moves what lies on devices.
  struct Staged {
    Staged(std::optional<GetNumber> number_of_get, std::span<std::byte> mine)
        : get(number_of_get), bytes(mine) {}

    std::optional<GetNumber> get;  ///< nullopt: a put
    HostBytes bytes;
  };
  std::list<Staged> staged;

  /// The memory of the host that the network reads or writes in place of `mine`. It lives until the
  /// operation is complete.
  HostBytes& stage(std::optional<GetNumber> get, std::span<std::byte> mine) {
    return staged.emplace_back(get, mine).bytes;
  }
  /// As WindowOperations::complete(). What gets have brought is then on the devices.
  bool complete() {
    if (!operations.complete()) return false;
    for (const Staged& one : std::exchange(staged, {})) {
      if (one.get) one.bytes.give_back();
    }
    return true;
  }
  bool complete(GetNumber number) {
    if (!operations.complete(number)) return false;
    const auto found =
        std::ranges::find_if(staged, [number](const Staged& one) { return one.get == number; });
    if (found == staged.end()) return true;
    found->bytes.give_back();
    staged.erase(found);
    return true;
  }
  void give_up() {
    operations.give_up();
    staged.clear();
  }

  Transport& transport() const { return communicator.state().transport(); }
  Engine::Lock lock() const { return communicator.state().engine->lock(); }

  /// True if this rank reads and writes the other ranks' memory itself, and they this rank's. Ranks
  /// reach each other's memory in the same way, but a device's memory is served to ranks whose own
  /// memory is the host's.
  bool all_in_reach() const {
    return device == nullptr && std::ranges::all_of(peers, [&](const RemoteMemory& peer) {
             return &peer == &peers[static_cast<std::size_t>(communicator.rank())] ||
                    peer.bytes() == 0 || !peer.direct().empty();
           });
  }

  /// Waits a moment for puts and gets to end.
  void let_end_soon() {
    constexpr std::chrono::duration<double> a_moment{1.0};
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::min(a_moment, transport().environment().timeout));
    Backoff backoff(transport().wait_policy());
    while (!operations.complete() && Clock::now() < until) {
      if (!communicator.state().engine->progress()) transport().pause(backoff, until);
    }
  }
};

Window::Window(const Communicator& communicator, std::size_t bytes)
    : Window(communicator, bytes, std::nullopt) {}

Window::Window(const Communicator& communicator, std::size_t bytes, std::optional<int> device) {
  const Engine::Lock lock = communicator.state().engine->lock();
  // An error must destroy it under the lock.
  auto state = std::make_unique<State>(communicator, bytes, device);
  const std::vector<std::byte> mine =
      describe_memory(state->transport(), *state->memory, state->number, device.has_value());
  const std::vector<std::vector<std::byte>> descriptions = gather_bytes(communicator, mine);
  collective_try(communicator, [&] {
    for (int rank = 0; rank < communicator.size(); ++rank) {
      state->peers.emplace_back(state->transport(), communicator.state().group->world_rank(rank),
                                descriptions[static_cast<std::size_t>(rank)], state->device);
    }
  });
  state_ = std::move(state);
  if (!state_->all_in_reach()) communicator.state().engine->work_between_calls();
}

Window::Window(Window&&) noexcept = default;

Window& Window::operator=(Window&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Window::~Window() {
  if (!state_) return;
  // The lock also covers the memory, which goes at the end.
  const Communicator keeps_engine = state_->communicator;
  const Engine::Lock lock = state_->lock();
  const auto warn_of_errors = [this](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      state_->communicator.logger().warn(error.what());
    }
  };
  if (!state_->transport().peers().given_up().empty()) {
    state_->give_up();
  } else if (std::uncaught_exceptions() > state_->exceptions) {
    // The ranks that serve this rank's puts and gets may never do so.
    warn_of_errors([this] { state_->let_end_soon(); });
    state_->give_up();
  } else {
    warn_of_errors([this] { flush(); });
    // A device's memory is closed before its owner frees it.
    if (state_->device != nullptr) state_->peers.clear();
    // The barrier comes also after an error, because other ranks may still read
    // this memory.
    warn_of_errors([this] { barrier(state_->communicator); });
  }
  state_.reset();
}

void Window::free_alone() noexcept {
  if (!state_) return;
  const Communicator keeps_engine = state_->communicator;
  const Engine::Lock lock = state_->lock();
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

void Window::put(std::span<const std::byte> mine, int peer, std::size_t offset, OnStream after) {
  const Engine::Lock lock = state_->lock();
  require_inside(state_->communicator, "put", mine, peer, offset, bytes(peer));
  if (after.given()) wait_for_stream(static_cast<CuStream>(after.stream()));
  if (mine.empty()) return;
  if (peer == state_->communicator.rank())
    return copy_own(mine.data(), local().data() + offset, mine.size());
  RemoteMemory& there = state_->peers[static_cast<std::size_t>(peer)];
  if (there.direct().empty() && lies_on_device(mine)) {
    // The const_cast is safe: what is put is only read.
    const HostBytes& bytes =
        state_->stage(std::nullopt, {const_cast<std::byte*>(mine.data()), mine.size()});
    bytes.fetch();
    mine = bytes.get();
  }
  state_->operations.started("put", peer, mine.size(), there.put(mine, offset));
}

Window::GetNumber Window::get(std::span<std::byte> mine, int peer, std::size_t offset,
                              OnStream after) {
  const Engine::Lock lock = state_->lock();
  require_inside(state_->communicator, "get", Buffer(mine), peer, offset, bytes(peer));
  if (after.given()) wait_for_stream(static_cast<CuStream>(after.stream()));
  const GetNumber number{state_->gets_started++};
  if (mine.empty()) return number;
  if (peer == state_->communicator.rank()) {
    copy_own(local().data() + offset, mine.data(), mine.size());
    return number;
  }
  RemoteMemory& there = state_->peers[static_cast<std::size_t>(peer)];
  if (there.direct().empty() && lies_on_device(mine)) mine = state_->stage(number, mine).get();
  RemoteOperation get = there.get(mine, offset);
  state_->operations.started("get", peer, mine.size(), get);
  if (!std::holds_alternative<std::monostate>(get))
    state_->operations.started(number, std::move(get));
  return number;
}

bool Window::test() {
  const Engine::Lock lock = state_->lock();
  state_->communicator.state().engine->progress();
  state_->transport().let_mpi_work(Clock::now());
  return state_->complete();
}

bool Window::test(GetNumber get) {
  const Engine::Lock lock = state_->lock();
  state_->communicator.state().engine->progress();
  state_->transport().let_mpi_work(Clock::now());
  return state_->complete(get);
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
  // A long transfer may take as long as data moves.
  const auto latest =
      Clock::now() + timeout +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
          static_cast<double>(state_->operations.under_way()) / slowest_bytes_per_second));
  auto until = Clock::now() + timeout;
  Backoff backoff(transport.wait_policy());
  try {
    while (!complete()) {
      if (state_->communicator.state().engine->progress()) {
        backoff.reset();
        until = std::min(Clock::now() + timeout, latest);
        continue;
      }
      if (transport.pause(backoff, until) == Pause::spin) continue;
      state_->communicator.state().engine->throw_if_interrupted();
      if (Clock::now() >= until) {
        throw Error(
            ErrorCode::timeout,
            fmt::format("{}: window {}: puts and gets at {} not complete after {} s "
                        "(CUBOID_TIMEOUT){}; on networks without remote memory access "
                        "a "
                        "peer must be inside a Cuboid call now and then, or run with "
                        "CUBOID_PROGRESS=thread",
                        state_->operations.name(state_->communicator.rank()), what,
                        state_->operations.touched_peers(), transport.environment().timeout.count(),
                        silent_ranks(transport, *state_->communicator.state().group)));
      }
    }
  } catch (...) {
    state_->give_up();
    throw;
  }
}

void Window::fence() {
  flush();
  barrier(state_->communicator);
}

}  // namespace cuboid
