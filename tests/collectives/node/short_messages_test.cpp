#include "collectives/node/short_messages.hpp"

#include <cuboid/error.hpp>

#include "collectives/node/mailbox.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

/// What each rank of a node sees: its own mailbox and those that it has mapped.
std::deque<ShortMessages> ranks_of_a_node(int ranks) {
  std::vector<std::vector<Mailbox>> seen(static_cast<std::size_t>(ranks));
  for (int owner = 0; owner < ranks; ++owner) {
    Mailbox mailbox = Mailbox::create(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != owner)
        seen[static_cast<std::size_t>(rank)].push_back(Mailbox::map(mailbox.place(), ranks));
    }
    mailbox.close();
    seen[static_cast<std::size_t>(owner)].push_back(std::move(mailbox));
  }
  std::deque<ShortMessages> node;
  for (int rank = 0; rank < ranks; ++rank)
    node.emplace_back(std::move(seen[static_cast<std::size_t>(rank)]), rank);
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

using Text = std::array<char, ShortMessage::longest>;

Text text(int number) {
  Text result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<char>(number * 7 + static_cast<int>(i));
  return result;
}

TEST(ShortMessages, OfEveryLengthArrive) {
  auto node = ranks_of_a_node(2);
  for (std::size_t bytes = 0; bytes <= ShortMessage::longest; ++bytes) {
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

TEST(ShortMessages, FindTheirReceiveByTagAndSenderAndOfEqualTagsInOrder) {
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

TEST(ShortMessages, ThatFindNoRoomWaitForItInOrder) {
  auto node = ranks_of_a_node(2);
  constexpr int messages = 500;
  std::vector<Transfer> sends(messages);
  int waiting = 0;
  for (int number = 0; number < messages; ++number) {
    const Text sent = text(number);
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

TEST(ShortMessages, ToOneThatReadsNothingKeepNoneFromTheOthers) {
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

TEST(ShortMessages, OfAnotherLengthAreSeen) {
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

TEST(ShortMessages, OfEqualTagsAreToldApartByKindAndAnswersNeedNoReceive) {
  auto node = ranks_of_a_node(2);
  const Text data = text(1);
  const Text request = text(2);
  Text received{};
  Transfer send;
  Transfer receive;
  node[0].send(1, data.data(), data.size(), 1, send);
  node[0].send(1, request.data(), request.size(), 1, send, ShortKind::request);
  EXPECT_EQ(node[1].receive(0, received.data(), received.size(), 1, receive, ShortKind::request),
            std::nullopt);
  node[1].progress();
  EXPECT_EQ(receive.end, Outcome::State::complete);
  EXPECT_EQ(received, request);
  EXPECT_TRUE(node[1].holds(0, 1));
  EXPECT_FALSE(node[1].holds(0, 1, ShortKind::request));

  std::vector<std::size_t> heard;
  node[1].listen([&heard](std::span<const std::byte> answer) { heard.push_back(answer.size()); });
  for (std::size_t bytes = 0; bytes < 100; ++bytes)
    node[0].answer(1, std::as_bytes(std::span(data)).first(bytes), nullptr);
  EXPECT_TRUE(node[0].sending_to(1));  // more than there is room for
  for (int turn = 0; turn < 10; ++turn) {
    node[1].progress();
    node[0].progress();
  }
  ASSERT_EQ(heard.size(), 100);
  for (std::size_t bytes = 0; bytes < 100; ++bytes) EXPECT_EQ(heard[bytes], bytes);
}

TEST(ShortMessages, AnswersThatFindNoRoomAreUnderWay) {
  auto node = ranks_of_a_node(2);
  node[1].listen([](std::span<const std::byte>) {});
  const std::byte answer{1};
  std::vector<Transfer> transfers(100);
  std::size_t sent = 0;
  while (node[0].answer(1, std::span(&answer, 1), &transfers[sent])) {
    ASSERT_FALSE(transfers[sent].pending());
    ASSERT_LT(++sent, transfers.size());
  }
  EXPECT_TRUE(transfers[sent].pending());
  node[1].progress();
  EXPECT_FALSE(transfers[sent].end);
  node[0].progress();
  EXPECT_EQ(transfers[sent].end, Outcome::State::complete);
  EXPECT_FALSE(transfers[sent].pending());
}

TEST(ShortMessages, CanBeGivenUp) {
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

TEST(ShortMessages, KeepARankAwakeOrSayThatItSleeps) {
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

TEST(ShortMessages, WakeARankThatSleeps) {
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

TEST(ShortMessages, GoBothWaysBetweenThreadsAtOnce) {
  auto node = ranks_of_a_node(2);
  constexpr int messages = 20000;
  const auto run = [&node](int rank) {
    ShortMessages& mine = node[static_cast<std::size_t>(rank)];
    std::vector<Transfer> sends(messages);
    for (int number = 0; number < messages; ++number) {
      const Text sent = text(number + rank);
      mine.send(1 - rank, sent.data(), sent.size(), static_cast<std::uint64_t>(number % 3),
                sends[static_cast<std::size_t>(number)]);
      if (number % 5 != 4) continue;
      for (int earlier = number - 4; earlier <= number; ++earlier) {
        Text received{};
        Transfer receive;
        const auto at_once = mine.receive(1 - rank, received.data(), received.size(),
                                          static_cast<std::uint64_t>(earlier % 3), receive);
        while (!at_once && !receive.end) {
          if (!mine.progress()) std::this_thread::yield();
        }
        ASSERT_EQ(received, text(earlier + 1 - rank));
      }
    }
    while (mine.sending_to(1 - rank)) mine.progress();
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

TEST(Mailbox, ThatIsClosedCannotBeMapped) {
  Mailbox mailbox = Mailbox::create(1);
  const Mailbox::Place place = mailbox.place();
  mailbox.close();
  EXPECT_THROW(Mailbox::map(place, 1), Error);
}

}  // namespace
}  // namespace cuboid::detail
