#include "collectives/node/pipe.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

struct Transfer : PendingTransfer {
  Transfer() {
    ended = [](PendingTransfer& transfer, Outcome outcome) {
      static_cast<Transfer&>(transfer).end = outcome.state;
    };
  }
  std::optional<Outcome::State> end;
};

/// Both ends, which have agreed on messages by requests to send.
struct Ends {
  std::unique_ptr<PipeMemory> to_right = std::make_unique<PipeMemory>();
  std::unique_ptr<PipeMemory> to_left = std::make_unique<PipeMemory>();
  Pipe left{*to_right, *to_left};
  Pipe right{*to_left, *to_right};
  SendRequests requests;

  void request(const std::vector<std::byte>& data, Transfer& send, Transfer& receive) {
    send.send_request = requests.open(send, data.data(), data.size());
    receive.send_request = send.send_request;
  }
};

std::vector<std::byte> bytes(std::size_t count, int seed = 0) {
  std::vector<std::byte> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<std::byte>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
  return result;
}

constexpr std::size_t piece = PipeMemory::piece_bytes;
constexpr std::size_t longer_than_the_ring = piece * PipeMemory::pieces * 3 + 5;

TEST(Pipe, CarriesMessagesOfAnyLengthInTheOrderTheyWereAskedFor) {
  Ends ends;
  for (const std::size_t count : {std::size_t{1}, piece, piece + 1, longer_than_the_ring}) {
    const auto first = bytes(count);
    const auto second = bytes(2 * count, 1);
    std::vector<std::byte> here(first.size());
    std::vector<std::byte> there(second.size());
    Transfer sends[2];
    Transfer receives[2];
    ends.request(first, sends[0], receives[0]);
    ends.request(second, sends[1], receives[1]);
    ends.right.receive(there.data(), receives[1]);
    ends.right.receive(here.data(), receives[0]);
    ends.left.send(sends[1]);
    ends.left.send(sends[0]);
    EXPECT_TRUE(sends[0].pending());
    EXPECT_TRUE(ends.left.busy());
    for (int turn = 0; turn < 20; ++turn) {
      ends.left.progress();
      ends.right.progress();
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(sends[i].end, Outcome::State::complete);
      EXPECT_EQ(receives[i].end, Outcome::State::complete);
      EXPECT_FALSE(sends[i].pending() || receives[i].pending());
    }
    EXPECT_EQ(here, first);
    EXPECT_EQ(there, second);
    EXPECT_FALSE(ends.left.busy() || ends.right.busy());
  }
}

TEST(Pipe, GoesOnAfterMessagesThatEitherSideGaveUp) {
  for (const bool by_sender : {true, false}) {
    Ends ends;
    const auto data = bytes(longer_than_the_ring);
    const auto last = bytes(100, 3);
    std::vector<std::byte> received(data.size());
    std::vector<std::byte> received_last(last.size());
    Transfer send;
    Transfer receive;
    Transfer next_send;
    Transfer next_receive;
    ends.request(data, send, receive);
    ends.request(last, next_send, next_receive);
    ends.right.receive(received.data(), receive);
    ends.right.receive(received_last.data(), next_receive);
    ends.left.send(send);
    ends.left.send(next_send);
    ends.left.progress();
    ends.right.progress();
    (by_sender ? ends.left : ends.right).cancel(by_sender ? send : receive);
    for (int turn = 0; turn < 20; ++turn) {
      ends.left.progress();
      ends.right.progress();
    }
    EXPECT_EQ(send.end, by_sender ? Outcome::State::cancelled : Outcome::State::complete);
    EXPECT_EQ(receive.end, by_sender ? Outcome::State::withdrawn : Outcome::State::cancelled);
    EXPECT_EQ(next_receive.end, Outcome::State::complete);
    EXPECT_EQ(received_last, last);
    EXPECT_FALSE(ends.left.sending());
  }
}

TEST(Pipe, TellsTheReceiverOfARequestThatWasWithdrawn) {
  Ends ends;
  const auto data = bytes(100);
  std::vector<std::byte> received(data.size());
  Transfer send;
  Transfer receive;
  ends.request(data, send, receive);
  ends.right.receive(received.data(), receive);
  ends.left.withdraw(send.send_request.slot, send.send_request.ticket);
  ends.left.progress();
  ends.right.progress();
  EXPECT_EQ(receive.end, Outcome::State::withdrawn);
  EXPECT_EQ(received, std::vector<std::byte>(data.size()));
}

TEST(Pipe, CarriesBothWaysBetweenThreadsAtOnce) {
  Ends ends;
  const auto data = bytes(longer_than_the_ring);
  constexpr int messages = 20;
  std::vector<Transfer> sends(2 * messages);
  std::vector<Transfer> receives(2 * messages);
  std::vector<std::vector<std::byte>> received(2 * messages, std::vector<std::byte>(data.size()));
  for (std::size_t i = 0; i < sends.size(); ++i) ends.request(data, sends[i], receives[i]);
  // Before all else: it is the receiver that asks for data.
  for (std::size_t i = 0; i < messages; ++i) {
    ends.right.receive(received[i].data(), receives[i]);
    ends.left.receive(received[messages + i].data(), receives[messages + i]);
  }
  const auto run = [&](Pipe& pipe, std::size_t outgoing, std::size_t incoming) {
    for (std::size_t i = 0; i < messages; ++i) pipe.send(sends[outgoing + i]);
    while (!sends[outgoing + messages - 1].end || !receives[incoming + messages - 1].end) {
      if (!pipe.progress()) std::this_thread::yield();
    }
  };
  std::thread other([&] { run(ends.right, messages, 0); });
  run(ends.left, 0, messages);
  other.join();
  for (const auto& one : received) EXPECT_EQ(one, data);
}

}  // namespace
}  // namespace cuboid::detail
