// Memory that the other ranks read and write without its owner's help.

#include <cuboid/window.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <utility>
#include <vector>

namespace cuboid::detail {
namespace windows_test {

using Bytes = std::vector<std::byte>;

Bytes copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

// What a window's owner must find in it after every rank has written its own part.
Bytes parts_of_all(const Communicator& c, std::size_t part, unsigned salt) {
  Bytes all;
  for (int rank = 0; rank < c.size(); ++rank)
    std::ranges::copy(pattern<std::byte>(rank, part, salt), std::back_inserter(all));
  return all;
}

TEST(Windows, StartZeroedAndOfTheSizeAskedFor) {
  on_worlds([](Communicator& c) {
    const auto size_of = [](int rank) { return static_cast<std::size_t>(rank) * 1000 + 1; };
    const Window window(c, size_of(c.rank()));
    require(window.local().size() == size_of(c.rank()), "{} bytes", window.local().size());
    for (int peer = 0; peer < c.size(); ++peer)
      require(window.bytes(peer) == size_of(peer), "{} bytes", window.bytes(peer));
    require(copy_of(window.local()) == Bytes(size_of(c.rank())), "not zeroed");
  });
}

TEST(Windows, NoRoomOnOneRankIsAnErrorOnAll) {
  on_worlds([](Communicator& c) {
    const std::size_t bytes = c.rank() == c.size() - 1 ? std::size_t{1} << 60 : 8;
    require_error([&] { Window(c, bytes); }, ErrorCode::out_of_memory, {});
    const Window window(c, 8);  // and all can go on
    require(window.local().size() == 8, "{} bytes", window.local().size());
  });
}

TEST(Windows, PutsAreThereAfterAFence) {
  on_worlds([](Communicator& c) {
    for (const std::size_t part : {1, 7, 1000, 100003}) {
      Window window(c, part * static_cast<std::size_t>(c.size()));
      for (unsigned round = 0; round < 3; ++round) {
        const auto mine = pattern<std::byte>(c.rank(), part, round);
        for (int peer = 0; peer < c.size(); ++peer)
          window.put(mine, peer, part * static_cast<std::size_t>(c.rank()));
        window.fence();
        require(copy_of(window.local()) == parts_of_all(c, part, round), "wrong after round {}",
                round);
        window.fence();
      }
    }
  });
}

TEST(Windows, GetsBringWhatIsThere) {
  on_worlds([](Communicator& c) {
    for (const std::size_t bytes : {1, 1000, 100003}) {
      Window window(c, bytes);
      std::ranges::copy(pattern<std::byte>(c.rank(), bytes, 1), window.local().begin());
      window.fence();
      std::vector<Bytes> got(static_cast<std::size_t>(c.size()), Bytes(bytes / 2 + 1));
      for (int peer = 0; peer < c.size(); ++peer)
        window.get(got[static_cast<std::size_t>(peer)], peer, bytes - bytes / 2 - 1);
      window.flush();
      for (int peer = 0; peer < c.size(); ++peer) {
        const auto whole = pattern<std::byte>(peer, bytes, 1);
        const Bytes end(whole.end() - static_cast<std::ptrdiff_t>(bytes / 2 + 1), whole.end());
        require(got[static_cast<std::size_t>(peer)] == end, "wrong bytes of rank {}", peer);
      }
      window.fence();
    }
  });
}

TEST(Windows, GetsAreWaitedForOneByOne) {
  on_worlds([](Communicator& c) {
    constexpr std::size_t bytes = 100003;
    Window window(c, bytes);
    std::ranges::copy(pattern<std::byte>(c.rank(), bytes, 2), window.local().begin());
    window.fence();
    std::vector<Bytes> got(static_cast<std::size_t>(c.size()), Bytes(bytes));
    std::vector<Window::GetNumber> gets;
    for (int peer = 0; peer < c.size(); ++peer)
      gets.push_back(window.get(got[static_cast<std::size_t>(peer)], peer, 0));
    for (int peer = c.size() - 1; peer >= 0; --peer) {  // the last first
      window.wait(gets[static_cast<std::size_t>(peer)]);
      require(got[static_cast<std::size_t>(peer)] == pattern<std::byte>(peer, bytes, 2),
              "wrong bytes of rank {}", peer);
    }
    window.wait(gets.front());  // complete already
    require(window.test(gets.front()), "a get that was waited for is not complete");
    window.fence();
    window.wait(gets.front());
  });
}

TEST(Windows, GetsAreTestedOneByOne) {
  on_worlds([](Communicator& c) {
    constexpr std::size_t bytes = 100003;
    Window window(c, bytes);
    std::ranges::copy(pattern<std::byte>(c.rank(), bytes, 2), window.local().begin());
    window.fence();
    const int peer = (c.rank() + 1) % c.size();
    Bytes got(bytes);
    const Window::GetNumber get = window.get(got, peer, 0);
    while (!window.test(get)) continue;
    require(got == pattern<std::byte>(peer, bytes, 2), "wrong bytes of rank {}", peer);
    window.fence();
  });
}

TEST(Windows, OfOneNodeAreOneMemory) {
  on_worlds([](Communicator& c) {
    const Window window(c, 64);
    window.local()[0] = static_cast<std::byte>(c.rank() + 1);
    barrier(c);
    for (int peer = 0; peer < c.size(); ++peer) {
      const auto theirs = window.direct(peer);
      if (theirs.empty()) continue;  // not shared: put and get it is
      require(theirs.size() == 64, "{} bytes", theirs.size());
      require(theirs[0] == static_cast<std::byte>(peer + 1), "not the memory of rank {}", peer);
      theirs[static_cast<std::size_t>(c.rank()) + 1] = static_cast<std::byte>(c.rank());
    }
    require(window.direct(c.rank()).data() == window.local().data(), "one's own is shared");
    barrier(c);
    for (int peer = 0; peer < c.size(); ++peer) {
      if (window.direct(peer).empty()) continue;
      require(window.local()[static_cast<std::size_t>(peer) + 1] == static_cast<std::byte>(peer),
              "the store of rank {} is lost", peer);
    }
  });
}

TEST(Windows, RefuseRangesOutsideThePeersMemory) {
  on_worlds([](Communicator& c) {
    const auto size_of = [](int rank) { return static_cast<std::size_t>(rank) * 8; };
    Window window(c, size_of(c.rank()));
    Bytes eight(8);
    for (int peer = 0; peer < c.size(); ++peer) {
      const std::size_t beyond = ~std::size_t{0} - 3;  // wraps round when a length is added
      for (const std::size_t offset : {size_of(peer) + 1, size_of(peer) - 7, beyond}) {
        if (size_of(peer) >= 8 && offset + 8 == size_of(peer)) continue;
        const std::string rank = fmt::format("rank {}", peer);
        require_error([&] { window.put(eight, peer, offset); }, ErrorCode::invalid_argument,
                      {"put", rank, fmt::format("byte {}", offset)});
        require_error([&] { window.get(eight, peer, offset); }, ErrorCode::invalid_argument,
                      {"get", rank});
      }
    }
    for (const int nobody : {-1, c.size()}) {
      const std::string rank = fmt::format("rank {} is not", nobody);
      require_error([&] { window.put(eight, nobody, 0); }, ErrorCode::invalid_argument, {rank});
      require_error([&] { window.get(eight, nobody, 0); }, ErrorCode::invalid_argument, {rank});
      require_error([&] { window.direct(nobody); }, ErrorCode::invalid_argument, {rank});
    }
    window.fence();
  });
}

TEST(Windows, WithoutMemory) {
  on_worlds([](Communicator& c) {
    Window window(c, c.rank() % 2 == 0 ? 0 : 10);
    for (int peer = 0; peer < c.size(); ++peer) window.put({}, peer, window.bytes(peer));
    window.fence();
    Window none(c, 0);
    none.fence();
    require(none.local().empty(), "memory out of nothing");
  });
}

TEST(Windows, CanBeMovedAndReplaced) {
  on_worlds(
      [](Communicator& c) {
        Window first(c, 8);
        Window second(std::move(first));
        const std::array one = {std::byte{1}};
        second.put(one, (c.rank() + 1) % c.size(), 0);
        second.fence();
        require(second.local()[0] == std::byte{1}, "lost when moved");
        second = Window(c, 16);
        require(second.local().size() == 16, "{} bytes", second.local().size());
        second.fence();
      },
      {1, 3});
}

TEST(Windows, ManyOneAfterAnotherAndAtOnce) {
  on_worlds(
      [](Communicator& c) {
        for (int round = 0; round < 10; ++round) {
          Window a(c, 4096);
          Window b(c, 100);
          const auto mine = pattern<std::byte>(c.rank(), 50, 1);
          const int next = (c.rank() + 1) % c.size();
          a.put(mine, next, 1);
          b.put(mine, next, 50);
          a.fence();
          b.fence();
          const auto expected = pattern<std::byte>((c.rank() + c.size() - 1) % c.size(), 50, 1);
          require(copy_of(a.local().subspan(1, 50)) == expected, "wrong in a");
          require(copy_of(b.local().subspan(50, 50)) == expected, "wrong in b");
        }
      },
      {2, 5});
}

TEST(Windows, WorkWhileCollectivesAreInFlight) {
  on_worlds([](Communicator& c) {
    Window window(c, 1000);
    auto data = c.rank() == 0 ? pattern<int>(0, 30000, 2) : std::vector<int>(30000);
    Request request = start_broadcast(c, data, 0);
    const auto mine = pattern<std::byte>(c.rank(), 1000, 3);
    window.put(mine, (c.rank() + 1) % c.size(), 0);
    window.flush();
    request.wait();
    window.fence();
    require(data == pattern<int>(0, 30000, 2), "the broadcast is wrong");
    const int before = (c.rank() + c.size() - 1) % c.size();
    require(copy_of(window.local()) == pattern<std::byte>(before, 1000, 3), "the put is wrong");
  });
}

}  // namespace windows_test
}  // namespace cuboid::detail
