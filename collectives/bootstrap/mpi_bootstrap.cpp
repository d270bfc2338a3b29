#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "base/clock.hpp"
#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/over_mpi.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid {

using namespace detail;

namespace {

void require_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char message[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, message, &length);
  throw Error(ErrorCode::peer_failed, std::string("MPI: ") + what + " failed: " + message);
}

/// Ranks send to rank 0, which sends to all, by non-blocking messages: so a rank that does not come
/// is an error on all others, and rank 0 knows its number.
class MpiBootstrap : public Bootstrap, public OverMpi {
 public:
  MpiBootstrap(MPI_Comm communicator, std::chrono::duration<double> timeout)
      : communicator_(communicator), timeout_(timeout) {
    require_mpi(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    require_mpi(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    // The highest tags: lower ones belong to the program.
    int found = 0;
    const int* highest = nullptr;
    require_mpi(MPI_Comm_get_attr(communicator_, MPI_TAG_UB, &highest, &found),
                "MPI_Comm_get_attr");
    tag_ = (found != 0 ? *highest : lowest_tag_limit) - 1;
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  MPI_Comm communicator() const override { return communicator_; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    tag_ -= 1;  // each round has its own tag: ranks of a failed round may still send
    std::vector<std::byte> all;
    if (rank_ == 0) {
      all = gather(mine);
    } else {
      const auto deadline = deadline_after(timeout_);
      send(0, {mine.begin(), mine.end()}, deadline);
      // Rank 0 may wait as long for the others before it reports who has not come.
      all = receive(parent(), deadline_after(timeout_ + verdict_patience));
    }
    forward(all);
    return unpack(all);
  }

 private:
  static constexpr int lowest_tag_limit = 32767;  // that the standard guarantees
  static constexpr std::chrono::duration<double> verdict_patience{5.0};

  static Clock::time_point deadline_after(std::chrono::duration<double> seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
  }

  // The message that goes down the tree: how it ended, and every rank's blob or the reason.
  std::vector<std::byte> gather(std::span<const std::byte> mine) {
    const auto deadline = deadline_after(timeout_);
    std::vector<std::vector<std::byte>> blobs(static_cast<std::size_t>(size_));
    blobs[0].assign(mine.begin(), mine.end());
    std::vector<bool> came(static_cast<std::size_t>(size_));
    came[0] = true;
    for (int others = size_ - 1; others > 0; --others) {
      MPI_Status message{};
      if (!probe(MPI_ANY_SOURCE, message, deadline)) {
        BlobWriter verdict;
        verdict.add(missing(came));
        return verdict.bytes();
      }
      const auto rank = static_cast<std::size_t>(message.MPI_SOURCE);
      blobs[rank] = take(message, deadline);
      came[rank] = true;
    }
    BlobWriter all;
    all.add(std::string_view());
    for (const auto& blob : blobs) all.add(blob);
    return all.bytes();
  }

  std::string missing(const std::vector<bool>& came) const {
    std::vector<int> ranks;
    for (int rank = 0; rank < size_; ++rank) {
      if (!came[static_cast<std::size_t>(rank)]) ranks.push_back(rank);
    }
    constexpr std::size_t most = 16;
    const std::size_t more = ranks.size() - std::min(most, ranks.size());
    ranks.resize(ranks.size() - more);
    return fmt::format(
        "bootstrap: {} {}{} of {} did not come within {} s; look at its own message, or set "
        "CUBOID_TIMEOUT if that is to be expected",
        ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "),
        more > 0 ? fmt::format(" and {} more", more) : "", size_, timeout_.count());
  }

  // A binomial tree: rank r hears from r without its lowest bit.
  int parent() const { return rank_ & (rank_ - 1); }

  void forward(const std::vector<std::byte>& all) {
    const auto deadline = deadline_after(timeout_);
    const int lowest_bit = rank_ == 0 ? std::numeric_limits<int>::max() : rank_ & -rank_;
    for (int bit = 1; bit < lowest_bit && bit < size_ - rank_; bit *= 2)
      send(rank_ + bit, all, deadline);
  }

  std::vector<std::vector<std::byte>> unpack(std::span<const std::byte> all) const {
    BlobReader reader(all);
    if (const std::string verdict = reader.text(); !verdict.empty())
      throw Error(ErrorCode::timeout, fmt::format("rank {}: {}", rank_, verdict));
    std::vector<std::vector<std::byte>> blobs;
    for (int rank = 0; rank < size_; ++rank) {
      const auto blob = reader.take();
      blobs.emplace_back(blob.begin(), blob.end());
    }
    return blobs;
  }

  void send(int peer, const std::vector<std::byte>& message, Clock::time_point deadline) {
    auto outgoing = std::make_unique<std::vector<std::byte>>(message);
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Isend(outgoing->data(), static_cast<int>(outgoing->size()), MPI_BYTE, peer,
                          tag_, communicator_, &request),
                "MPI_Isend");
    wait(request, outgoing, peer, deadline);
  }

  std::vector<std::byte> receive(int peer, Clock::time_point deadline) {
    MPI_Status message{};
    if (!probe(peer, message, deadline)) throw_timeout(peer);
    return take(message, deadline);
  }

  std::vector<std::byte> take(const MPI_Status& message, Clock::time_point deadline) {
    int bytes = 0;
    require_mpi(MPI_Get_count(&message, MPI_BYTE, &bytes), "MPI_Get_count");
    auto incoming = std::make_unique<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Irecv(incoming->data(), bytes, MPI_BYTE, message.MPI_SOURCE, tag_,
                          communicator_, &request),
                "MPI_Irecv");
    wait(request, incoming, message.MPI_SOURCE, deadline);
    return std::move(*incoming);
  }

  bool probe(int peer, MPI_Status& message, Clock::time_point deadline) const {
    return until(deadline, [&] {
      int there = 0;
      require_mpi(MPI_Iprobe(peer, tag_, communicator_, &there, &message), "MPI_Iprobe");
      return there != 0;
    });
  }

  void wait(MPI_Request& request, std::unique_ptr<std::vector<std::byte>>& memory, int peer,
            Clock::time_point deadline) const {
    const bool done = until(deadline, [&] {
      int complete = 0;
      require_mpi(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
      return complete != 0;
    });
    if (done) return;
    // MPI cannot cancel it without the peer.
    static_cast<void>(memory.release());
    throw_timeout(peer);
  }

  template <class Condition>
  static bool until(Clock::time_point deadline, Condition condition) {
    constexpr std::chrono::microseconds between_looks{100};
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      std::this_thread::sleep_for(between_looks);
    }
    return true;
  }

  [[noreturn]] void throw_timeout(int peer) const {
    throw Error(
        ErrorCode::timeout,
        fmt::format("rank {}: bootstrap: rank {} of {} did not come or pass on who else did "
                    "not within {} s; set CUBOID_TIMEOUT if that is to be expected",
                    rank_, peer, size_, timeout_.count()));
  }

  MPI_Comm communicator_;
  std::chrono::duration<double> timeout_;
  int rank_ = 0;
  int size_ = 0;
  int tag_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> mpi_bootstrap(MPI_Comm communicator, const Environment& environment) {
  return std::make_unique<MpiBootstrap>(communicator, environment.timeout);
}

MpiSession::MpiSession() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return;
  // Cuboid calls MPI from one thread at a time.
  int provided = MPI_THREAD_SINGLE;
  require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
              "MPI_Init_thread");
  owner_ = true;
}

MpiSession::~MpiSession() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (owner_ && finalised == 0) MPI_Finalize();
}

bool MpiSession::launched() {
  // Open MPI, MPICH and Intel MPI (Hydra), and Slurm or PMIx launchers, in this order.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace cuboid
