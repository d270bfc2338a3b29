#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "base/clock.hpp"
#include "collectives/bootstrap/absent_ranks.hpp"
#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/bootstrap/over_mpi.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// Throws, before anything is sent, if no bootstrap can be made of this communicator.
void require_ranks_of_mpi(MPI_Comm communicator) {
  const auto refuse = [](const char* why) {
    throw Error(ErrorCode::invalid_argument, fmt::format("bootstrap over MPI: {}", why));
  };
  int initialised = 0;
  int finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  if (initialised == 0) refuse("MPI is not initialised: call MPI_Init before");
  if (finalised != 0) refuse("MPI is finalised: call MPI_Finalize after Cuboid's work is done");
  if (communicator == MPI_COMM_NULL)
    refuse("the communicator is MPI_COMM_NULL: this rank is in no group of it");
  int has_two_groups = 0;
  require_mpi(PMPI_Comm_test_inter(communicator, &has_two_groups), "MPI_Comm_test_inter");
  if (has_two_groups != 0)
    refuse("an intercommunicator has two groups of ranks: merge them with MPI_Intercomm_merge");
}

/// Ranks send to rank 0, and its answer to all goes down a tree. All messages are non-blocking: so
/// if a rank does not come, all other ranks get an error, and rank 0 knows the number of the
/// missing rank. A rank that fails tells rank 0, which tells all ranks.
class MpiBootstrap : public Bootstrap, public OverMpi {
 public:
  MpiBootstrap(MPI_Comm communicator, std::chrono::duration<double> timeout)
      : domain_(MpiDomain::of(communicator, timeout)),
        communicator_(domain_->communicator()),
        tag_(domain_->next_bootstrap_tag()),
        timeout_(timeout) {
    require_mpi(PMPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    require_mpi(PMPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  }

  ~MpiBootstrap() override {
    if (std::uncaught_exceptions() == exceptions_before_ || failed_ || domain_->closed()) return;
    tell_failure(ErrorCode::peer_failed,
                 fmt::format("rank {} gave up; look at its own message", rank_));
  }
  MpiBootstrap(const MpiBootstrap&) = delete;
  MpiBootstrap& operator=(const MpiBootstrap&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::shared_ptr<MpiDomain> domain() const override { return domain_; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    try {
      const Letter all = rank_ == 0 ? gather(mine) : exchange(mine);
      for (const int child : children()) post(child, all);
      require_sent(deadline_after(timeout_));
      return unpack(all);
    } catch (const Error& error) {
      if (!std::exchange(failed_, true)) tell_failure(error.code(), error.what());
      throw Error(error.code(), fmt::format("rank {}: bootstrap: {}", rank_, error.what()));
    }
  }

 private:
  using Letter = std::vector<std::byte>;
  enum class Kind : char { blobs, failure, question, answer };

  struct Outgoing {
    int peer;
    Letter letter;  // MPI reads it until the request is complete
    MPI_Request request;
  };

  static constexpr std::chrono::duration<double> a_moment{1.0};

  Letter gather(std::span<const std::byte> mine) {
    // A rank that gives up because it waited for another rank can then say so first.
    const auto deadline = deadline_after(timeout_ + a_moment);
    std::vector<Letter> blobs(static_cast<std::size_t>(size_));
    blobs[0].assign(mine.begin(), mine.end());
    std::vector<bool> came(blobs.size());
    came[0] = true;
    for (int others = size_ - 1; others > 0; --others) {
      MPI_Status message{};
      if (!probe(message, deadline)) give_up(absent_ranks(answering(came), timeout_));
      const auto rank = static_cast<std::size_t>(message.MPI_SOURCE);
      const Letter letter = take(message, deadline);
      const auto blob = open(letter).take();
      blobs[rank].assign(blob.begin(), blob.end());
      came[rank] = true;
    }
    BlobWriter all = begin_letter(Kind::blobs);
    for (const auto& blob : blobs) all.add(blob);
    return all.bytes();
  }

  /// The ranks that came, and the ranks that did not come but answer, because they wait for a rank
  /// that does not answer. If all answer, only the ranks that came.
  std::vector<bool> answering(const std::vector<bool>& came) {
    std::vector<bool> answered = came;
    for (int rank = 0; rank < size_; ++rank) {
      if (!came[static_cast<std::size_t>(rank)]) post(rank, begin_letter(Kind::question).bytes());
    }
    const auto deadline = deadline_after(a_moment);
    MPI_Status message{};
    while (probe(message, deadline)) {
      answered[static_cast<std::size_t>(message.MPI_SOURCE)] = true;
      open(take(message, deadline));
    }
    const bool all = std::ranges::find(answered, false) == answered.end();
    return all ? came : answered;
  }

  /// Sends this rank's blob to rank 0 and receives the blobs of all ranks.
  Letter exchange(std::span<const std::byte> mine) {
    BlobWriter letter = begin_letter(Kind::blobs);
    letter.add(mine);
    post(0, letter.bytes());
    // Rank 0 may wait for the same time for other ranks before it reports which ranks have not
    // come, and this rank's parent may itself have to hear that first.
    const int steps_from_rank_0 = std::popcount(static_cast<unsigned>(rank_));
    const auto deadline = deadline_after(timeout_ + (4 + steps_from_rank_0) * a_moment);
    for (MPI_Status message{}; probe(message, deadline);) {
      Letter all = take(message, deadline);
      if (kind_of(all) == Kind::blobs) return all;
      open(all);
      post(0, begin_letter(Kind::answer).bytes());
    }
    std::vector<bool> came(static_cast<std::size_t>(size_), true);
    came[static_cast<std::size_t>(parent())] = false;
    give_up(absent_ranks(came, timeout_));
  }

  // The parent of rank r in a binomial tree is r without its lowest bit.
  int parent() const { return rank_ & (rank_ - 1); }
  std::vector<int> children() const {
    std::vector<int> found;
    const int lowest_bit = rank_ == 0 ? std::numeric_limits<int>::max() : rank_ & -rank_;
    for (int bit = 1; bit < lowest_bit && bit < size_ - rank_; bit *= 2)
      found.push_back(rank_ + bit);
    return found;
  }

  /// Tells the ranks that may wait for this rank what has gone wrong. Rank 0 tells all ranks.
  void tell_failure(ErrorCode code, const std::string& what) noexcept {
    try {
      domain_->may_leave_messages();
      BlobWriter letter = begin_letter(Kind::failure);
      letter.add(std::vector{code});
      letter.add(what);
      std::vector<int> peers = children();
      if (rank_ == 0) {
        peers.resize(static_cast<std::size_t>(size_ - 1));
        std::iota(peers.begin(), peers.end(), 1);
      } else {
        peers.push_back(0);
      }
      for (const int peer : peers) post(peer, letter.bytes());
      look_until(deadline_after(a_moment), [&] { return all_sent(); });
    } catch (const std::exception&) {
      // The other ranks reach their own deadlines.
    }
    // MPI cannot take the messages back without their receivers, so their memory is never freed.
    if (!outgoing_.empty()) static_cast<void>(new auto(std::move(outgoing_)));
  }

  [[noreturn]] static void give_up(const std::string& why) { throw Error(ErrorCode::timeout, why); }

  static BlobWriter begin_letter(Kind kind) {
    BlobWriter letter;
    letter.add(std::vector{kind});
    return letter;
  }
  static Kind kind_of(std::span<const std::byte> letter) {
    const auto kind = BlobReader(letter).vector<Kind>();
    return kind.empty() ? Kind::failure : kind.front();
  }

  /// A reader of what follows the letter's kind. If the letter tells of a failure, throws it.
  static BlobReader open(std::span<const std::byte> letter) {
    BlobReader reader(letter);
    reader.take();
    if (kind_of(letter) == Kind::failure) {
      const auto code = reader.vector<ErrorCode>();
      throw Error(code.empty() ? ErrorCode::internal : code.front(), reader.text());
    }
    return reader;
  }

  std::vector<std::vector<std::byte>> unpack(std::span<const std::byte> all) const {
    BlobReader reader = open(all);
    std::vector<std::vector<std::byte>> blobs;
    for (int rank = 0; rank < size_; ++rank) {
      const auto blob = reader.take();
      blobs.emplace_back(blob.begin(), blob.end());
    }
    return blobs;
  }

  void post(int peer, const Letter& letter) {
    Outgoing& one = outgoing_.emplace_back(Outgoing{peer, letter, MPI_REQUEST_NULL});
    require_mpi(PMPI_Isend(one.letter.data(), static_cast<int>(one.letter.size()), MPI_BYTE, peer,
                           tag_, communicator_, &one.request),
                "MPI_Isend");
  }

  bool all_sent() {
    std::erase_if(outgoing_, [](Outgoing& one) { return is_complete(one.request); });
    return outgoing_.empty();
  }

  void require_sent(Clock::time_point deadline) {
    if (look_until(deadline, [&] { return all_sent(); })) return;
    std::vector<bool> took(static_cast<std::size_t>(size_), true);
    for (const Outgoing& one : outgoing_) took[static_cast<std::size_t>(one.peer)] = false;
    give_up(absent_ranks(took, timeout_));
  }

  /// Waits for the next letter; meanwhile sends go on.
  bool probe(MPI_Status& message, Clock::time_point deadline) {
    return look_until(deadline, [&] {
      all_sent();
      int there = 0;
      require_mpi(PMPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_, &there, &message), "MPI_Iprobe");
      return there != 0;
    });
  }

  Letter take(const MPI_Status& message, Clock::time_point deadline) {
    int bytes = 0;
    require_mpi(PMPI_Get_count(&message, MPI_BYTE, &bytes), "MPI_Get_count");
    auto incoming = std::make_unique<Letter>(static_cast<std::size_t>(bytes));
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(PMPI_Irecv(incoming->data(), bytes, MPI_BYTE, message.MPI_SOURCE, tag_,
                           communicator_, &request),
                "MPI_Irecv");
    if (look_until(deadline, [&] { return is_complete(request); })) return std::move(*incoming);
    static_cast<void>(incoming.release());  // MPI cannot cancel the receive without the peer
    std::vector<bool> came(static_cast<std::size_t>(size_), true);
    came[static_cast<std::size_t>(message.MPI_SOURCE)] = false;
    give_up(absent_ranks(came, timeout_));
  }

  std::shared_ptr<MpiDomain> domain_;
  MPI_Comm communicator_;
  int tag_;
  std::chrono::duration<double> timeout_;
  int rank_ = 0;
  int size_ = 0;
  std::list<Outgoing> outgoing_;
  bool failed_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace

std::unique_ptr<Bootstrap> mpi_bootstrap(MPI_Comm communicator, const Environment& environment) {
  require_ranks_of_mpi(communicator);
  return std::make_unique<MpiBootstrap>(communicator, environment.timeout);
}

MpiSession::MpiSession() {
  int initialised = 0;
  PMPI_Initialized(&initialised);
  if (initialised != 0) return;
  // Cuboid calls MPI from one thread at a time.
  int provided = MPI_THREAD_SINGLE;
  // waits: as every program does in MPI_Init, which has no other form
  require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
              "MPI_Init_thread");
  owner_ = true;
}

// After an exception other ranks may be gone, and MPI_Finalize would wait for them for ever. When
// the process of this rank ends, the launcher ends the ranks that wait for it.
MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > exceptions_before_) return;
  int finalised = 0;
  PMPI_Finalized(&finalised);
  // waits: as every program does in MPI_Finalize, which has no other form
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
