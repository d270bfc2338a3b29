// waits, in this file: in the program's own call of a collective, as MPI does in it
#include "bindings/dropin/agreement.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/over_mpi.hpp"

#include <numeric>

namespace cuboid::detail::drop_in {

namespace {

void require(int status, const char* what) {
  if (status != MPI_SUCCESS)
    throw Error(ErrorCode::peer_failed, std::string("the native MPI failed in ") + what);
}

class Native : public Bootstrap, public OverMpi {
 public:
  explicit Native(MPI_Comm communicator) : communicator_(communicator) {
    require(PMPI_Comm_rank(communicator, &rank_), "MPI_Comm_rank");
    require(PMPI_Comm_size(communicator, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  // Worlds end when MPI_Finalize begins, whatever the program frees before.
  std::shared_ptr<MpiDomain> domain() const override {
    return MpiDomain::apart_from(communicator_);
  }
  bool wants_mpi_turns() const override { return false; }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    const auto ranks = static_cast<std::size_t>(size_);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks);
    require(PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator_),
            "MPI_Allgather");
    std::vector<int> offsets(ranks);
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    std::vector<std::byte> all(static_cast<std::size_t>(offsets.back() + lengths.back()));
    require(PMPI_Allgatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(),
                            offsets.data(), MPI_BYTE, communicator_),
            "MPI_Allgatherv");
    std::vector<std::vector<std::byte>> said(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto first = all.begin() + offsets[rank];
      said[rank].assign(first, first + lengths[rank]);
    }
    return said;
  }

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace

void agree_on_greatest(std::span<std::int64_t> values, MPI_Comm communicator) {
  require(PMPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                         MPI_MAX, communicator),
          "MPI_Allreduce");
}

void agree_on_greatest(std::span<double> values, MPI_Comm communicator) {
  require(PMPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                         MPI_MAX, communicator),
          "MPI_Allreduce");
}

std::unique_ptr<Bootstrap> bootstrap_over(MPI_Comm communicator) {
  return std::make_unique<Native>(communicator);
}

}  // namespace cuboid::detail::drop_in
