#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <fmt/format.h>

namespace cuboid {

namespace {

void require_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char message[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, message, &length);
  throw Error(ErrorCode::peer_failed, std::string("MPI: ") + what + " failed: " + message);
}

class MpiBootstrap : public Bootstrap {
 public:
  MpiBootstrap(MPI_Comm communicator, std::chrono::duration<double> timeout)
      : communicator_(communicator), timeout_(timeout) {
    require_mpi(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    require_mpi(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    wait_for_all();
    const auto ranks = static_cast<std::size_t>(size_);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks);
    require_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator_),
                "MPI_Allgather");
    std::vector<int> offsets(ranks);
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    std::vector<std::byte> all(static_cast<std::size_t>(offsets.back()) +
                               static_cast<std::size_t>(lengths.back()));
    require_mpi(MPI_Allgatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(),
                               offsets.data(), MPI_BYTE, communicator_),
                "MPI_Allgatherv");
    std::vector<std::vector<std::byte>> blobs(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto first = all.begin() + offsets[rank];
      blobs[rank].assign(first, first + lengths[rank]);
    }
    return blobs;
  }

 private:
  /// By the one collective that need not block and is cheap so: Open MPI's other ones connect every
  /// rank with every other. Once all are there, those that block are safe.
  void wait_for_all() const {
    constexpr std::chrono::microseconds between_looks{100};
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Ibarrier(communicator_, &request), "MPI_Ibarrier");
    for (int done = 0;;) {
      require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done != 0) return;
      if (std::chrono::steady_clock::now() > deadline) break;
      std::this_thread::sleep_for(between_looks);
    }
    throw Error(ErrorCode::timeout,
                fmt::format("rank {}: bootstrap: not all of {} ranks came within {} s; set "
                            "CUBOID_TIMEOUT if that is to be expected",
                            rank_, size_, timeout_.count()));
  }

  MPI_Comm communicator_;
  std::chrono::duration<double> timeout_;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> mpi_bootstrap(MPI_Comm communicator, const Environment& environment) {
  return std::make_unique<MpiBootstrap>(communicator, environment.timeout);
}

MpiSession::MpiSession() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return;
  // Cuboid calls MPI from one thread only, and then only to bootstrap.
  int provided = MPI_THREAD_SINGLE;
  require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
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
