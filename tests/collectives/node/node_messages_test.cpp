#include "collectives/node/node_messages.hpp"

#include <cuboid/error.hpp>

#include "collectives/node/mailbox.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuboid::detail {
namespace node_messages_test {

/// What each rank of a node sees: its own mailbox and those that it has mapped.
constexpr SegmentSizes segment_sizes{.bytes = 4096, .count = 8};

std::deque<NodeMessages> ranks_of_a_node(int ranks,
                                         LongCopies copies = {.readable = true, .helped = true}) {
  std::vector<std::vector<Mailbox>> seen(static_cast<std::size_t>(ranks));
  for (int owner = 0; owner < ranks; ++owner) {
    Mailbox mailbox = Mailbox::create(ranks, segment_sizes);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != owner)
        seen[static_cast<std::size_t>(rank)].push_back(Mailbox::map(mailbox.place(), ranks));
    }
    mailbox.close();
    seen[static_cast<std::size_t>(owner)].push_back(std::move(mailbox));
  }
  std::deque<NodeMessages> node;
  for (int rank = 0; rank < ranks; ++rank)
    node.emplace_back(std::move(seen[static_cast<std::size_t>(rank)]), rank, copies);
  return node;
}

struct Transfer : PendingTransfer {
  Transfer() {
    ended = [](PendingTransfer& transfer, Outcome outcome) {
      static_cast<Transfer&>(transfer).end = outcome.state;
    };
  }
  std::optional<Outcome::State> end;
};

using Text = std::array<char, MailboxEntry::capacity>;

Text text(int number) {
  Text result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<char>(number * 7 + static_cast<int>(i));
  return result;
}

TEST(NodeMessages, OfEveryLengthArrive) {
  auto node = ranks_of_a_node(2);
  for (std::size_t bytes = 0; bytes <= MailboxEntry::capacity; ++bytes) {
    const Text sent = text(3);
    Text received{};
    Transfer send;
    Transfer receive;
    EXPECT_EQ(node[1].receive(0, received.data(), bytes, 5, receive), std::nullopt);
    EXPECT_TRUE(receive.pending());
    EXPECT_TRUE(node[0].send(1, sent.data(), bytes, 5, send));
    EXPECT_TRUE(node[1].progress());
    EXPECT_EQ(receive.end, Outcome::State::complete);
    EXPECT_FALSE(receive.pending());
    EXPECT_EQ(std::memcmp(sent.data(), received.data(), bytes), 0);
    EXPECT_FALSE(node[1].progress());
  }
}

TEST(NodeMessages, ThatNeedNoWaitingGoAtOnce) {
  auto node = ranks_of_a_node(2);
  const std::vector<char> sent(segment_sizes.bytes + 1, 'x');
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, MailboxEntry::capacity,
                                  MailboxEntry::capacity + 1, std::size_t{segment_sizes.bytes}}) {
    std::vector<char> received(bytes, 'y');
    EXPECT_FALSE(node[1].receive_at_once(0, received.data(), bytes, 5));
    ASSERT_TRUE(node[0].send_at_once(1, sent.data(), bytes, 5));
    EXPECT_FALSE(node[1].receive_at_once(0, received.data(), bytes, 6)) << "another tag";
    EXPECT_FALSE(node[1].receive_at_once(0, received.data(), bytes + 1, 5)) << "another length";
    EXPECT_TRUE(node[1].receive_at_once(0, received.data(), bytes, 5));
    EXPECT_EQ(received, std::vector<char>(bytes, 'x'));
    EXPECT_FALSE(node[1].receive_at_once(0, received.data(), bytes, 5)) << "only once";
  }
  EXPECT_FALSE(node[0].send_at_once(1, sent.data(), sent.size(), 5)) << "it has to be read";
}

TEST(NodeMessages, ThatHaveComeBeforeOthersAreReceivedAtOnceInOrder) {
  auto node = ranks_of_a_node(2);
  for (const char first : {'a', 'b', 'c'})
    ASSERT_TRUE(node[0].send_at_once(1, &first, 1, first == 'b' ? 8 : 7));
  char received = 0;
  EXPECT_TRUE(node[1].progress());  // keeps all of them
  EXPECT_TRUE(node[1].receive_at_once(0, &received, 1, 8));
  EXPECT_EQ(received, 'b');
  for (const char next : {'a', 'c'}) {
    EXPECT_TRUE(node[1].receive_at_once(0, &received, 1, 7));
    EXPECT_EQ(received, next);
  }
  // Nothing overtakes a receive that was posted for the same tag.
  char posted = 0;
  Transfer receive;
  EXPECT_EQ(node[1].receive(0, &posted, 1, 7, receive), std::nullopt);
  for (const char next : {'d', 'e'}) ASSERT_TRUE(node[0].send_at_once(1, &next, 1, 7));
  EXPECT_FALSE(node[1].receive_at_once(0, &received, 1, 7));
  node[1].progress();
  EXPECT_EQ(receive.end, Outcome::State::complete);
  EXPECT_EQ(posted, 'd');
  EXPECT_TRUE(node[1].receive_at_once(0, &received, 1, 7));
  EXPECT_EQ(received, 'e');
}

TEST(NodeMessages, DoNotOvertakeThoseThatWaitForRoom) {
  auto node = ranks_of_a_node(2);
  int sent = 0;
  while (node[0].send_at_once(1, &sent, sizeof sent, 3)) ++sent;
  ASSERT_GT(sent, 0);
  Transfer waits;
  EXPECT_FALSE(node[0].send(1, &sent, sizeof sent, 3, waits));
  int received = -1;
  EXPECT_TRUE(node[1].receive_at_once(0, &received, sizeof received, 3));  // makes room
  EXPECT_EQ(received, 0);
  const int later = sent + 1;
  EXPECT_FALSE(node[0].send_at_once(1, &later, sizeof later, 3));
  EXPECT_TRUE(node[0].progress());
  EXPECT_EQ(waits.end, Outcome::State::complete);
  for (int expected = 1; expected <= sent; ++expected) {
    EXPECT_TRUE(node[1].receive_at_once(0, &received, sizeof received, 3));
    EXPECT_EQ(received, expected);
  }
  EXPECT_TRUE(node[0].send_at_once(1, &later, sizeof later, 3));
}

TEST(NodeMessages, FindTheirReceiveByTagAndSenderAndOfEqualTagsInOrder) {
  auto node = ranks_of_a_node(3);
  Transfer send;
  for (const int sender : {0, 1}) {
    for (int number = 0; number < 6; ++number) {
      const Text sent = text(10 * sender + number);
      ASSERT_TRUE(node[static_cast<std::size_t>(sender)].send(
          2, sent.data(), sent.size(), static_cast<std::uint64_t>(number % 2), send));
    }
  }
  // Odd tags first, some before and some after the others have been taken in.
  for (const int sender : {1, 0}) {
    for (const int number : {1, 3, 0, 5, 2, 4}) {
      Text received{};
      Transfer receive;
      const auto status = node[2].receive(sender, received.data(), received.size(),
                                          static_cast<std::uint64_t>(number % 2), receive);
      if (!status) node[2].progress();
      EXPECT_EQ(status.value_or(receive.end.value_or(Outcome::State::failed)),
                Outcome::State::complete);
      EXPECT_EQ(received, text(10 * sender + number)) << sender << ' ' << number;
    }
  }
  EXPECT_FALSE(node[2].holds(0, 0));
  EXPECT_FALSE(node[2].holds(1, 1));
}

TEST(NodeMessages, ThatFindNoRoomWaitForItInOrder) {
  auto node = ranks_of_a_node(2);
  constexpr int messages = 500;
  std::vector<Transfer> sends(messages);
  std::vector<Text> texts;
  for (int number = 0; number < messages; ++number) texts.push_back(text(number));
  int waiting = 0;
  for (int number = 0; number < messages; ++number) {
    const Text& sent = texts[static_cast<std::size_t>(number)];
    Transfer& send = sends[static_cast<std::size_t>(number)];
    if (!node[0].send(1, sent.data(), sent.size(), 1, send)) ++waiting;
    EXPECT_EQ(waiting > 0, send.pending());
  }
  EXPECT_GT(waiting, 0);
  EXPECT_LT(waiting, messages);
  EXPECT_TRUE(node[0].sending_to(1));
  for (int number = 0; number < messages; ++number) {
    Text received{};
    Transfer receive;
    if (!node[1].receive(0, received.data(), received.size(), 1, receive)) {
      for (int turn = 0; turn < 3 && !receive.end; ++turn) {
        node[0].progress();
        node[1].progress();
      }
      ASSERT_EQ(receive.end, Outcome::State::complete) << number;
    }
    EXPECT_EQ(received, text(number)) << number;
  }
  for (const Transfer& send : sends) EXPECT_FALSE(send.pending());
  EXPECT_FALSE(node[0].sending_to(1));
}

TEST(NodeMessages, ToOneThatReadsNothingKeepNoneFromTheOthers) {
  auto node = ranks_of_a_node(3);
  const Text sent = text(4);
  std::vector<Transfer> sends(100);
  for (Transfer& send : sends) node[0].send(1, sent.data(), sent.size(), 1, send);
  ASSERT_TRUE(node[0].sending_to(1));
  EXPECT_FALSE(node[0].sending_to(2));
  Transfer send;
  Transfer receive;
  Text received{};
  EXPECT_TRUE(node[0].send(2, sent.data(), sent.size(), 1, send));
  EXPECT_EQ(node[2].receive(0, received.data(), received.size(), 1, receive),
            Outcome::State::complete);
  EXPECT_EQ(received, sent);
}

TEST(NodeMessages, OfAnotherLengthAreSeen) {
  auto node = ranks_of_a_node(2);
  const Text sent = text(1);
  Text received{};
  Transfer send;
  Transfer early;
  Transfer late;
  EXPECT_EQ(node[1].receive(0, received.data(), 8, 1, early), std::nullopt);
  node[0].send(1, sent.data(), 9, 1, send);
  node[0].send(1, sent.data(), 7, 2, send);
  node[1].progress();
  EXPECT_EQ(early.end, Outcome::State::wrong_length);
  EXPECT_TRUE(node[1].holds(0, 2));
  EXPECT_EQ(node[1].receive(0, received.data(), 8, 2, late), Outcome::State::wrong_length);
  EXPECT_FALSE(node[1].holds(0, 2));
  EXPECT_EQ(received, Text{});
}

/// Lengths at which a message takes another way.
const std::vector<std::size_t> lengths = {0,    1,    232,  233,   1000,  4095,   4096,
                                          4097, 8192, 8193, 12289, 99999, 1 << 20};

std::vector<std::byte> bytes(std::size_t count, std::size_t seed = 0) {
  std::vector<std::byte> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<std::byte>(i * 7 + i / 251 + seed * 13);
  return result;
}

/// Lets all ranks work until nothing happens any more.
void settle(std::deque<NodeMessages>& node) {
  for (bool moved = true; moved;) {
    moved = false;
    for (NodeMessages& rank : node) moved |= rank.progress();
  }
}

/// The ways to copy long messages.
const std::vector<LongCopies> all_copies = {{.readable = true, .helped = true},
                                            {.readable = true, .helped = false},
                                            {.readable = false, .helped = false}};

TEST(NodeMessages, OfEveryWayArriveWhetherExpectedOrNot) {
  for (const LongCopies& copies : all_copies) {
    auto node = ranks_of_a_node(3, copies);
    EXPECT_EQ(node[0].longest_copied(), segment_sizes.bytes);
    for (const std::size_t length : lengths) {
      EXPECT_EQ(node[0].carries(length), copies.readable || length <= segment_sizes.bytes);
      if (!node[0].carries(length)) continue;
      for (const bool expected : {true, false}) {
        const auto sent = bytes(length, length);
        std::vector<std::byte> received(length);
        Transfer send;
        Transfer receive;
        if (expected) {
          EXPECT_EQ(node[2].receive(0, received.data(), length, 3, receive), std::nullopt);
        }
        node[0].send(2, sent.data(), length, 3, send);
        settle(node);
        if (!expected) {
          EXPECT_TRUE(node[2].holds(0, 3));
          const auto at_once = node[2].receive(0, received.data(), length, 3, receive);
          if (at_once) receive.end = *at_once;
        }
        settle(node);
        EXPECT_EQ(receive.end, Outcome::State::complete);
        EXPECT_FALSE(send.pending());
        EXPECT_FALSE(receive.pending());
        EXPECT_EQ(received, sent);
        EXPECT_FALSE(node[2].holds(0, 3));
      }
    }
  }
}

TEST(NodeMessages, OfEqualTagsKeepTheirOrderWhicheverWayTheyTake) {
  for (const LongCopies& copies : all_copies) {
    for (const bool expected : {true, false}) {
      auto node = ranks_of_a_node(2, copies);
      std::vector<std::vector<std::byte>> sent;
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t length = lengths[(i * 5) % lengths.size()];
        if (node[0].carries(length)) sent.push_back(bytes(length, i));
      }
      std::vector<std::vector<std::byte>> received;
      for (const auto& one : sent) received.emplace_back(one.size());
      std::vector<Transfer> sends(sent.size());
      std::vector<Transfer> receives(sent.size());
      const auto receive_all = [&] {
        for (std::size_t i = 0; i < sent.size(); ++i) {
          const auto at_once =
              node[1].receive(0, received[i].data(), sent[i].size(), 1, receives[i]);
          if (at_once) receives[i].end = *at_once;
        }
      };
      if (expected) receive_all();
      for (std::size_t i = 0; i < sent.size(); ++i)
        node[0].send(1, sent[i].data(), sent[i].size(), 1, sends[i]);
      settle(node);
      if (!expected) receive_all();
      settle(node);
      for (std::size_t i = 0; i < sent.size(); ++i) {
        ASSERT_EQ(receives[i].end, Outcome::State::complete) << i;
        ASSERT_FALSE(sends[i].pending()) << i;
        ASSERT_EQ(received[i], sent[i]) << i;
      }
    }
  }
}

TEST(NodeMessages, ThatFindNoSegmentAreReadOrWait) {
  for (const bool readable : {true, false}) {
    auto node = ranks_of_a_node(2, {.readable = readable, .helped = false});
    const auto sent = bytes(4000);
    std::vector<Transfer> sends(10);
    for (Transfer& send : sends) node[0].send(1, sent.data(), sent.size(), 1, send);
    EXPECT_FALSE(sends.front().pending());
    EXPECT_TRUE(sends.back().pending());
    EXPECT_EQ(node[0].sending_to(1), !readable);
    for (const Transfer& send : sends) {
      std::vector<std::byte> received(sent.size());
      Transfer receive;
      const auto at_once = node[1].receive(0, received.data(), received.size(), 1, receive);
      if (at_once) receive.end = *at_once;
      settle(node);
      EXPECT_EQ(receive.end, Outcome::State::complete);
      EXPECT_FALSE(send.pending());
      EXPECT_EQ(received, sent);
    }
    EXPECT_FALSE(node[0].sending_to(1));
  }
}

TEST(NodeMessages, AnswersThatFindNoRoomAreUnderWay) {
  auto node = ranks_of_a_node(2);
  const auto sent = bytes(20000);
  std::vector<std::byte> received(sent.size());
  Transfer send;
  Transfer receive;
  std::vector<Transfer> shorts(100);
  for (Transfer& one : shorts) node[1].send(0, sent.data(), 8, 9, one);
  ASSERT_TRUE(node[1].sending_to(0));
  node[1].receive(0, received.data(), received.size(), 1, receive);
  node[0].send(1, sent.data(), sent.size(), 1, send);
  node[1].progress();
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(receive.pending());
  EXPECT_TRUE(send.pending());
  settle(node);
  EXPECT_EQ(receive.end, Outcome::State::complete);
  EXPECT_EQ(send.end, Outcome::State::complete);
}

TEST(NodeMessages, LongOnesCanBeGivenUpByEitherSideInTheMidstOfThem) {
  for (const bool by_sender : {true, false}) {
    auto node = ranks_of_a_node(2);
    const auto sent = bytes(1 << 20);
    const auto next = bytes(50000, 1);
    std::vector<std::byte> received(sent.size());
    std::vector<std::byte> received_next(next.size());
    Transfer send;
    Transfer receive;
    node[0].send(1, sent.data(), sent.size(), 1, send);
    node[1].receive(0, received.data(), received.size(), 1, receive);
    node[1].progress();  // the receiver reads some
    node[0].progress();  // and the sender sends a piece
    node[1].progress();
    EXPECT_TRUE(receive.pending());
    if (by_sender) {
      node[0].cancel(send);
    } else {
      node[1].cancel(receive);
      node[1].progress();
      EXPECT_EQ(receive.end, Outcome::State::cancelled);
      node[0].cancel(send);
    }
    const auto until = Clock::now() + std::chrono::seconds(60);
    while (send.pending() && Clock::now() < until) node[0].progress();
    EXPECT_EQ(send.end, Outcome::State::cancelled);
    if (by_sender) {
      settle(node);
      EXPECT_EQ(receive.end, Outcome::State::withdrawn);
    }
    Transfer next_send;
    Transfer next_receive;
    node[0].send(1, next.data(), next.size(), 1, next_send);
    node[1].receive(0, received_next.data(), received_next.size(), 1, next_receive);
    settle(node);
    EXPECT_EQ(next_receive.end, Outcome::State::complete);
    EXPECT_EQ(received_next, next);
  }
}

TEST(NodeMessages, ToARankThatIsGoneFail) {
  auto node = ranks_of_a_node(2);
  const auto sent = bytes(100000);
  Transfer send;
  node[0].send(1, sent.data(), sent.size(), 1, send);
  node[0].lose(1);
  const auto until = Clock::now() + std::chrono::seconds(60);
  while (send.pending() && Clock::now() < until) node[0].progress();
  EXPECT_EQ(send.end, Outcome::State::failed);
}

TEST(NodeMessages, CanBeGivenUp) {
  auto node = ranks_of_a_node(2);
  Text received{};
  Transfer receive;
  node[1].receive(0, received.data(), received.size(), 1, receive);
  std::vector<Transfer> sends(100);
  for (Transfer& send : sends) node[0].send(1, received.data(), 1, 9, send);
  ASSERT_TRUE(sends.back().pending());
  node[1].cancel(receive);
  node[0].cancel(sends.back());
  EXPECT_FALSE(receive.end);
  node[1].progress();
  node[0].progress();
  EXPECT_EQ(receive.end, Outcome::State::cancelled);
  EXPECT_EQ(sends.back().end, Outcome::State::cancelled);
  EXPECT_FALSE(receive.pending());
}

TEST(NodeMessages, KeepARankAwakeOrSayThatItSleeps) {
  auto node = ranks_of_a_node(2);
  Transfer send;
  EXPECT_TRUE(node[1].fall_asleep());
  EXPECT_TRUE(node[0].asleep(1));
  node[1].wake_up();
  EXPECT_FALSE(node[0].asleep(1));
  node[0].send(1, nullptr, 0, 1, send);
  EXPECT_FALSE(node[1].fall_asleep());
  EXPECT_FALSE(node[0].asleep(1));
}

TEST(NodeMessages, WakeARankThatSleeps) {
  auto node = ranks_of_a_node(2);
  constexpr std::chrono::minutes too_long{2};  // a test's limit is shorter
  for (int time = 0; time < 100; ++time) {
    ASSERT_TRUE(node[1].fall_asleep());
    std::thread other([&node] { node[0].wake(1); });
    node[1].sleep(too_long);
    other.join();
    EXPECT_FALSE(node[0].asleep(1));
  }
  // Who was woken before it slept does not sleep.
  ASSERT_TRUE(node[1].fall_asleep());
  node[0].wake(1);
  node[1].sleep(too_long);
  // Nor does one whose time is over.
  ASSERT_TRUE(node[1].fall_asleep());
  node[1].sleep(std::chrono::microseconds(1));
  EXPECT_TRUE(node[0].asleep(1));
}

/// What a rank of several sends, which the receivers know as well: by number, to whom, how long,
/// under which tag.
struct Message {
  int source;
  int destination;
  std::size_t length;
  std::uint64_t tag;
};

std::vector<Message> random_messages(int ranks, int count, bool readable) {
  std::mt19937 random(1);
  std::vector<Message> messages;
  for (int i = 0; i < count; ++i) {
    const int source = static_cast<int>(random() % static_cast<unsigned>(ranks));
    const int step = 1 + static_cast<int>(random() % static_cast<unsigned>(ranks - 1));
    const auto kind = random() % 100;
    std::size_t length = random() % 300;
    if (kind > 60) length = random() % 5000;
    if (kind > 95 && readable) length = random() % 60000;
    if (!readable) length = std::min<std::size_t>(length, segment_sizes.bytes);
    messages.push_back({source, (source + step) % ranks, length, random() % 3});
  }
  return messages;
}

/// One rank's part of all messages: at most so many of its sends and receives are under way at
/// once, and receives are posted a while after or before what they wait for.
void exchange(NodeMessages& mine, int rank, const std::vector<Message>& messages) {
  struct Under {
    Transfer transfer;
    std::vector<std::byte> data;
    std::vector<std::byte> expected;
  };
  constexpr std::size_t most = 50;
  std::deque<Under> sends;
  std::deque<Under> receives;
  std::mt19937 random(static_cast<unsigned>(rank));
  const auto wait = [&](std::deque<Under>& transfers, std::size_t left) {
    while (transfers.size() > left) {
      while (transfers.front().transfer.pending()) {
        if (!mine.progress()) std::this_thread::yield();
      }
      Under& first = transfers.front();
      ASSERT_EQ(first.data, first.expected);
      transfers.pop_front();
    }
  };
  for (std::size_t number = 0; number < messages.size(); ++number) {
    const Message& message = messages[number];
    if (message.source == rank) {
      Under& send = sends.emplace_back();
      send.data = send.expected = bytes(message.length, number);
      mine.send(message.destination, send.data.data(), message.length, message.tag, send.transfer);
    } else if (message.destination == rank) {
      Under& receive = receives.emplace_back();
      receive.expected = bytes(message.length, number);
      receive.data.resize(message.length);
      mine.receive(message.source, receive.data.data(), message.length, message.tag,
                   receive.transfer);
    }
    if (random() % 7 == 0) mine.progress();
    // Not for its sends: who waits for them may wait for this rank's receives.
    if (receives.size() > most) wait(receives, 0);
  }
  wait(receives, 0);
  wait(sends, 0);
}

TEST(NodeMessages, OfRandomLengthsAndTagsGoBetweenThreads) {
  for (const LongCopies& copies : all_copies) {
    constexpr int ranks = 3;
    auto node = ranks_of_a_node(ranks, copies);
#ifdef CUBOID_SANITIZED
    constexpr int count = 5000;
#else
    constexpr int count = 35000;
#endif
    const auto messages = random_messages(ranks, count, copies.readable);
    std::vector<std::thread> threads;
    std::atomic<int> done = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        NodeMessages& mine = node[static_cast<std::size_t>(rank)];
        exchange(mine, rank, messages);
        ++done;
        while (done < ranks) mine.progress();  // for those who read from it
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(NodeMessages, GoBetweenProcesses) {
  Mailbox parents = Mailbox::create(2, segment_sizes);
  const Mailbox::MailboxAddress parents_place = parents.place();
  const std::int64_t parent = getpid();
  int to_parent[2];
  ASSERT_EQ(pipe(to_parent), 0);
  const auto messages = random_messages(2, 10000, true);
  const pid_t child = fork();
  const auto run = [&](Mailbox mine, Mailbox theirs, int rank) {
    std::vector<Mailbox> mailboxes;
    mailboxes.push_back(std::move(rank == 0 ? mine : theirs));
    mailboxes.push_back(std::move(rank == 0 ? theirs : mine));
    NodeMessages node(std::move(mailboxes), rank, {.readable = true, .helped = true});
    exchange(node, rank, messages);
    // Both leave together, as each may read the other's memory.
    const std::byte end{1};
    std::byte others_end{};
    Transfer send;
    Transfer receive;
    node.send(1 - rank, &end, 1, 99, send);
    const auto at_once = node.receive(1 - rank, &others_end, 1, 99, receive);
    while (send.pending() || (!at_once && receive.pending())) node.progress();
    return others_end == end;
  };
  if (child == 0) {
    Mailbox mine = Mailbox::create(2, segment_sizes);
    const Mailbox::MailboxAddress place = mine.place();
    const bool told = write(to_parent[1], &place, sizeof place) == sizeof place;
    Mailbox theirs = Mailbox::map(parents_place, 2);
    const bool well =
        told && theirs.process() == parent && run(std::move(mine), std::move(theirs), 1);
    _exit(well && !testing::Test::HasFailure() ? 0 : 1);
  }
  Mailbox::MailboxAddress childs_place;
  ASSERT_EQ(read(to_parent[0], &childs_place, sizeof childs_place),
            static_cast<ssize_t>(sizeof childs_place));
  Mailbox theirs = Mailbox::map(childs_place, 2);
  EXPECT_TRUE(run(std::move(parents), std::move(theirs), 0));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(to_parent[0]);
  close(to_parent[1]);
}

TEST(NodeMessages, EndWhereTheSenderDiesInTheMidstOfOne) {
  Mailbox parents = Mailbox::create(2, segment_sizes);
  const Mailbox::MailboxAddress parents_place = parents.place();
  int to_parent[2];
  ASSERT_EQ(pipe(to_parent), 0);
  const pid_t child = fork();
  if (child == 0) {
    Mailbox mine = Mailbox::create(2, segment_sizes);
    const Mailbox::MailboxAddress place = mine.place();
    std::vector<Mailbox> mailboxes;
    mailboxes.push_back(Mailbox::map(parents_place, 2));
    mailboxes.push_back(std::move(mine));
    NodeMessages node(std::move(mailboxes), 1, {.readable = true, .helped = true});
    const auto sent = bytes(32 << 20);
    Transfer send;
    node.send(0, sent.data(), sent.size(), 1, send);
    if (write(to_parent[1], &place, sizeof place) < 0) _exit(1);
    for (;;) pause();  // without helping
  }
  Mailbox::MailboxAddress place;
  ASSERT_EQ(read(to_parent[0], &place, sizeof place), static_cast<ssize_t>(sizeof place));
  std::vector<Mailbox> mailboxes;
  Mailbox theirs = Mailbox::map(place, 2);
  mailboxes.push_back(std::move(parents));
  mailboxes.push_back(std::move(theirs));
  NodeMessages node(std::move(mailboxes), 0, {.readable = true, .helped = true});
  std::vector<std::byte> received(32 << 20);
  Transfer receive;
  EXPECT_EQ(node.receive(1, received.data(), received.size(), 1, receive), std::nullopt);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  node.progress();
  EXPECT_EQ(receive.end, Outcome::State::failed);
  EXPECT_FALSE(receive.pending());
  close(to_parent[0]);
  close(to_parent[1]);
}

TEST(Mailbox, OfAnotherProcessThatIsClosedCannotBeMapped) {
  EXPECT_THROW(Mailbox::map({.process = getppid(), .descriptor = -1, .segments = segment_sizes}, 1),
               Error);
}

}  // namespace node_messages_test
}  // namespace cuboid::detail
