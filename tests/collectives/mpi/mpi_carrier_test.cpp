// The carrier that is MPI, between two processes started by mpirun, or of one with itself.
#include "collectives/mpi/mpi_carrier.hpp"

#include "collectives/node/shared_segment.hpp"
#include "tests/collectives/on_ranks.hpp"

#include <cstdio>
#include <exception>
#include <list>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace cuboid::detail {
namespace {

using State = Outcome::State;
using Bytes = std::vector<std::byte>;

constexpr std::uint64_t far_above_mpi_tags = std::uint64_t{1} << 60;

struct Transfer : PendingTransfer {
  Transfer() {
    ended = [](PendingTransfer& transfer, Outcome outcome) {
      static_cast<Transfer&>(transfer).state = outcome.state;
    };
  }
  std::optional<State> state;
};

Bytes content(std::size_t bytes, int salt) {
  Bytes memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    memory[i] = static_cast<std::byte>(i * 13 + static_cast<std::size_t>(salt));
  return memory;
}

class Pair {
 public:
  explicit Pair(MPI_Comm world) : Pair(world, {0, 1}, MpiMessage::longest_part) {}
  Pair(MPI_Comm world, std::vector<int> on_node, std::size_t part_bytes)
      : domain_(MpiDomain::of(world, std::chrono::seconds(60))),
        carrier_(domain_, std::move(on_node), part_bytes) {
    int size = 0;
    MPI_Comm_rank(world, &rank_);
    MPI_Comm_size(world, &size);
    other_ = size - 1 - rank_;
    carrier_.open(other_);
    carrier_.listen(ControlMessage::notice,
                    {[](void* self, std::span<const std::byte> header, std::string_view text) {
                       auto& heard = static_cast<Pair*>(self)->heard_;
                       heard.emplace_back(text);
                       heard.back() += std::to_string(header.size());
                     },
                     this});
  }

  void send(const Bytes& data, std::uint64_t tag, Transfer& transfer) {
    const Outcome outcome = carrier_.send(other_, data.data(), data.size(), tag, transfer);
    if (outcome.state != State::under_way) transfer.state = outcome.state;
  }
  void receive(Bytes& data, std::uint64_t tag, Transfer& transfer) {
    const Outcome outcome = carrier_.receive(other_, data.data(), data.size(), tag, transfer);
    if (outcome.state != State::under_way) transfer.state = outcome.state;
  }
  State wait(const Transfer& transfer) {
    wait_until([&] { return transfer.state.has_value(); });
    return *transfer.state;
  }
  template <class Condition>
  void wait_until(Condition condition) {
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      require(Clock::now() < until, "nothing came");
      if (!carrier_.progress()) carrier_.sleep(std::chrono::milliseconds(1));
    }
  }

  int rank() const { return rank_; }
  int other() const { return other_; }
  MpiCarrier& carrier() { return carrier_; }
  const std::vector<std::string>& heard() const { return heard_; }

 private:
  std::shared_ptr<MpiDomain> domain_;
  MpiCarrier carrier_;
  int rank_ = 0;
  int other_ = 0;
  std::vector<std::string> heard_;
};

/// Lengths on both sides of what goes inside of an envelope.
void every_length_arrives(Pair& pair) {
  for (const std::size_t bytes : {0, 1, 4000, 4055, 4056, 4057, 4096, 5000, 1000003}) {
    for (const bool receive_first : {false, true}) {
      const Bytes mine = content(bytes, pair.rank());
      Bytes theirs(bytes);
      Transfer out;
      Transfer in;
      if (receive_first) pair.receive(theirs, far_above_mpi_tags, in);
      pair.send(mine, far_above_mpi_tags, out);
      if (!receive_first) pair.receive(theirs, far_above_mpi_tags, in);
      require(pair.wait(in) == State::complete && pair.wait(out) == State::complete,
              "{} bytes did not arrive", bytes);
      require(theirs == content(bytes, pair.other()), "{} bytes are wrong", bytes);
    }
  }
}

/// By tag whatever the order, and of equal tags in the order they were sent.
void tags_match(Pair& pair) {
  constexpr int messages = 200;
  std::list<Transfer> transfers;
  std::vector<Bytes> mine;
  std::vector<Bytes> theirs(messages);
  for (int i = 0; i < messages; ++i) mine.push_back(content(i % 3 == 0 ? 9000 : 100, i));
  for (int i = 0; i < messages; ++i)
    pair.send(mine[static_cast<std::size_t>(i)], far_above_mpi_tags + i % 10,
              transfers.emplace_back());
  for (int tag = 9; tag >= 0; --tag) {
    for (int i = tag; i < messages; i += 10) {
      Bytes& memory = theirs[static_cast<std::size_t>(i)];
      memory.resize(mine[static_cast<std::size_t>(i)].size());
      pair.receive(memory, far_above_mpi_tags + tag, transfers.emplace_back());
    }
  }
  for (const Transfer& transfer : transfers)
    require(pair.wait(transfer) == State::complete, "a message did not arrive");
  require(theirs == mine, "messages were mixed up");
}

void other_lengths_are_told(Pair& pair) {
  for (const std::size_t sent : {10, 10000}) {
    for (const std::size_t expected : {20, 20000}) {
      Transfer out;
      Transfer in;
      Bytes memory(expected);
      const Bytes mine(sent);
      pair.receive(memory, 1, in);
      pair.send(mine, 1, out);
      require(pair.wait(in) == State::wrong_length, "{} were taken for {}", sent, expected);
      require(pair.wait(out) == State::complete, "nobody took the message");
    }
  }
}

void receives_are_taken_back(Pair& pair) {
  Transfer never;
  Bytes memory(100000);
  pair.receive(memory, 77, never);
  require(!pair.carrier().has_come(pair.other(), 78), "nothing was sent");
  pair.carrier().cancel(never);
  require(pair.wait(never) == State::cancelled && !never.pending(), "it was not taken back");
}

/// A notice is heard when what was sent before it is there, even if nobody asked for that yet.
void notices_come_after_data(Pair& pair) {
  const Bytes mine = content(3000000, pair.rank());
  Bytes theirs(mine.size());
  Transfer out;
  Transfer in;
  pair.send(mine, 5, out);
  const std::byte header[3] = {};
  pair.carrier().send_control(pair.other(), ControlMessage::notice, header, "goodbye", nullptr);
  pair.wait_until([&] { return !pair.heard().empty(); });
  require(pair.heard() == std::vector<std::string>{"goodbye3"}, "heard {}", pair.heard().front());
  require(pair.carrier().has_come(pair.other(), 5), "the notice came first");
  pair.receive(theirs, 5, in);
  require(in.state == State::complete, "the message had to be there");
  require(theirs == content(theirs.size(), pair.other()), "it is wrong");
  require(pair.wait(out) == State::complete, "the message was not taken");
}

/// Memory of another process, or of one's own.
void memory_is_shared(Pair& pair, MPI_Comm world) {
  const auto mine = pair.carrier().expose(1000);
  require(mine->bytes().size() == 1000 && mine->bytes()[999] == std::byte{0}, "it is not zeroed");
  const Bytes key = mine->key();
  Bytes theirs(key.size());
  MPI_Sendrecv(key.data(), static_cast<int>(key.size()), MPI_BYTE, pair.other(), 0, theirs.data(),
               static_cast<int>(key.size()), MPI_BYTE, pair.other(), 0, world, MPI_STATUS_IGNORE);
  const auto reached = pair.carrier().reach(pair.other(), theirs, mine->bytes(), false);
  MPI_Barrier(world);
  if (reached) reached->direct()[7] = static_cast<std::byte>(pair.rank() + 1);
  MPI_Barrier(world);
  require(!reached || mine->bytes()[7] == static_cast<std::byte>(pair.other() + 1),
          "the other's byte is not here");
  require(pair.carrier().reach(pair.other(), {}, mine->bytes(), false) == nullptr, "without a key");
}

/// Two over one communicator, one after the other and at once.
void carriers_do_not_meet(MPI_Comm world) {
  Pair first(world);
  Pair second(world);
  const Bytes one = content(50, 1);
  const Bytes two = content(50, 2);
  Transfer out[2];
  Transfer in[2];
  Bytes memory[2] = {Bytes(50), Bytes(50)};
  first.send(one, 1, out[0]);
  second.send(two, 1, out[1]);
  second.receive(memory[1], 1, in[1]);
  second.wait(in[1]);
  first.receive(memory[0], 1, in[0]);
  first.wait(in[0]);
  require(memory[0] == one && memory[1] == two, "messages went to the other carrier");
}

void run() {
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  {
    Pair pair(world);
    every_length_arrives(pair);
    tags_match(pair);
    other_lengths_are_told(pair);
    receives_are_taken_back(pair);
    notices_come_after_data(pair);
    memory_is_shared(pair, world);
    MPI_Barrier(world);
  }
  carriers_do_not_meet(world);
  for (const std::size_t part : {100, 8192}) {
    Pair apart(world, {}, part);
    every_length_arrives(apart);
    tags_match(apart);
    other_lengths_are_told(apart);
    notices_come_after_data(apart);
    MPI_Barrier(world);
  }
  MPI_Barrier(world);
  const auto domain = MpiDomain::of(world, std::chrono::seconds(60));
  MpiCarrier last(domain, {0, 1});
  bool told = false;
  last.tell_close([&told] { told = true; });
  MPI_Comm_free(&world);  // while it is in use
  require(told && domain->closed(), "the end of the communicator was not told");
  require(last.open(0) != nullptr, "there is no way any more");
}

}  // namespace
}  // namespace cuboid::detail

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  try {
    cuboid::detail::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    wrong = 1;
  }
  if (wrong != 0) MPI_Abort(MPI_COMM_WORLD, wrong);
  MPI_Finalize();
  return wrong;
}
