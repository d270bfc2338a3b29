// TCP connections that break at the worst moment: an error, not the end of the process. The
// kernel's calls are replaced, so that they fail when a test says so. Each test is two processes.
#include "collectives/ucx/ucx_carrier.hpp"
#include "tests/collectives/bootstrap/directory_bootstrap.hpp"
#include "tests/collectives/bootstrap/temporary_directory.hpp"
#include "tests/collectives/ucx/replaced_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool cuboid::detail::sockets_take_a_half = false;

namespace {

bool sends_fail = false;
bool full_sockets_take_a_part = false;
bool connecting_fails = false;

template <class Function>
Function the_kernels(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t send(int socket, const void* data, size_t bytes, int flags) {
  static const auto call = the_kernels<decltype(&::send)>("send");
  if (full_sockets_take_a_part && bytes < 16) {
    int queued = 0;
    ioctl(socket, SIOCOUTQ, &queued);
    if (queued > 16 << 10) bytes = std::min<size_t>(bytes, 2);
  }
  constexpr size_t much = 1000;
  if (cuboid::detail::sockets_take_a_half && bytes > much) bytes /= 2;
  if (!sends_fail) return call(socket, data, bytes, flags);
  errno = ECONNRESET;
  return -1;
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static const auto call = the_kernels<decltype(&::sendmsg)>("sendmsg");
  if (!sends_fail) return call(socket, message, flags);
  errno = ECONNRESET;
  return -1;
}

int connect(int socket, const sockaddr* address, socklen_t bytes) {
  static const auto call = the_kernels<decltype(&::connect)>("connect");
  if (!connecting_fails) return call(socket, address, bytes);
  errno = ECONNREFUSED;
  return -1;
}

}  // extern "C"

namespace cuboid::detail {
namespace {

using State = Outcome::State;

struct Transfer : PendingTransfer {
  Transfer() {
    ended = [](PendingTransfer& transfer, Outcome outcome) {
      static_cast<Transfer&>(transfer).state = outcome.state;
    };
  }
  std::optional<State> state;
};

RankInformation on_node(const char* name) {
  RankInformation information;
  information.host = information.node = name;
  return information;
}

/// One of two processes, on one node or as if on hosts of their own.
class Side {
 public:
  Side(const std::filesystem::path& directory, int rank, const char* node_of_second)
      : bootstrap_(directory, rank, 2),
        ranks_(std::array{on_node("a"), on_node(node_of_second)}),
        carrier_(rank, ranks_, start_ucx(bootstrap_, ranks_, Environment::read())) {}

  UcxCarrier& carrier() { return carrier_; }
  std::vector<std::vector<std::byte>> meet(std::span<const std::byte> mine = {}) {
    return bootstrap_.allgather(mine);
  }
  void transfer(bool sends, std::vector<std::byte>& data, Transfer& transfer) {
    constexpr std::uint64_t tag = 7;
    const int other = 1 - bootstrap_.rank();
    const Outcome outcome = sends
                                ? carrier_.send(other, data.data(), data.size(), tag, transfer)
                                : carrier_.receive(other, data.data(), data.size(), tag, transfer);
    if (outcome.state != State::under_way) transfer.state = outcome.state;
  }
  /// Progresses until something is so, or for long enough.
  template <class Condition>
  bool wait_until(Condition condition) {
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (!condition() && Clock::now() < until) {
      if (!carrier_.progress()) carrier_.sleep(std::chrono::milliseconds(1));
    }
    return condition();
  }

 private:
  DirectoryBootstrap bootstrap_;
  PeerInformation ranks_;
  UcxCarrier carrier_;
};

/// How rank 0 ended, as waitpid() says; 0 where all was well.
int end_of_first(const std::function<void(Side&)>& first, const std::function<void(Side&)>& second,
                 bool over_tcp = true) {
  const TemporaryDirectory directory;
  setenv("UCX_TLS", over_tcp ? "tcp,self" : "posix,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  pid_t children[2] = {};
  for (int rank = 0; rank < 2; ++rank) {
    children[rank] = fork();
    if (children[rank] != 0) continue;
    int status = 0;
    try {
      Side side(directory.path(), rank, over_tcp ? "b" : "a");
      (rank == 0 ? first : second)(side);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      status = 1;
    }
    _exit(status);
  }
  for (const char* variable : {"UCX_TLS", "UCX_NET_DEVICES"}) unsetenv(variable);
  int end = 0;
  waitpid(children[0], &end, 0);
  kill(children[1], SIGKILL);
  waitpid(children[1], nullptr, 0);
  return end;
}

TEST(Connection, ThatBreaksInTheMiddleOfAMessageFailsIt) {
  std::vector<std::byte> greeting(std::size_t{1} << 20);  // more than goes before an answer
  std::vector<std::byte> message(std::size_t{8} << 20);   // more than the kernel buffers
  const int end = end_of_first(
      [&](Side& side) {
        require(side.carrier().open(1) == nullptr, "cannot open");
        Transfer first, second;
        side.transfer(true, greeting, first);
        require(side.wait_until([&] { return first.state.has_value(); }), "nothing was sent");
        side.meet();
        side.transfer(true, message, second);
        side.carrier().progress();
        require(!second.state, "everything has left");
        sends_fail = true;
        side.meet();
        require(side.wait_until([&] { return second.state == State::failed; }), "did not fail");
        require(side.carrier().has_ended(1), "the connection is there");
      },
      [&](Side& side) {
        Transfer first;
        side.transfer(false, greeting, first);
        require(side.wait_until([&] { return first.state.has_value(); }), "nothing has come");
        side.meet();
        side.meet();  // takes nothing in before
        side.wait_until([] { return false; });
      });
  EXPECT_EQ(end, 0);
}

// UCX's acknowledgement of the peer's connection would meet a full socket.
TEST(Connection, IsOpenBothWaysBeforeItIsBusy) {
  std::vector<std::byte> message(std::size_t{8} << 20);  // more than the kernel buffers
  const int end = end_of_first(
      [&](Side& side) {
        full_sockets_take_a_part = true;
        require(side.carrier().open(1) == nullptr, "cannot open");
        Transfer there, back;
        side.transfer(true, message, there);
        side.transfer(false, message, back);
        for (int turn = 0; turn < 1000; ++turn) side.carrier().progress();
        side.meet();
        require(side.wait_until([&] { return there.state && back.state; }), "not all came");
        require(there.state == State::complete && back.state == State::complete, "failed");
        side.meet();
      },
      [&](Side& side) {
        side.meet();  // takes nothing in before
        require(side.carrier().open(0) == nullptr, "cannot open");
        Transfer there, back;
        side.transfer(false, message, there);
        side.transfer(true, message, back);
        side.wait_until([&] { return there.state && back.state; });
        side.meet();
      });
  EXPECT_EQ(end, 0);
}

TEST(Connection, ToAPeerThatEndsMeanwhileEnds) {
  const int end = end_of_first(
      [&](Side& side) {
        sends_fail = true;
        const bool opened = side.carrier().open(1) == nullptr;
        connecting_fails = true;
        require(!opened || side.wait_until([&] { return side.carrier().has_ended(1); }),
                "the connection is there");
      },
      [&](Side& side) { side.wait_until([] { return false; }); });
  EXPECT_EQ(end, 0);
}

TEST(Memory, OfAProcessThatHasEndedIsOutOfReach) {
  constexpr std::size_t bytes = 100000;
  const int end = end_of_first(
      [&](Side& side) {
        const auto key = side.meet()[1];
        side.meet();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        auto* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{4096});
        for (int attempt = 0; attempt < 10; ++attempt) {
          require(side.carrier().reach(1, key, {nowhere, bytes}, false) == nullptr,
                  "it was mapped");
        }
      },
      [&](Side& side) {
        const auto memory = side.carrier().expose(bytes);
        side.meet(memory->key());
        side.meet();
        std::raise(SIGKILL);
      },
      false);
  EXPECT_EQ(end, 0);
}

}  // namespace
}  // namespace cuboid::detail
