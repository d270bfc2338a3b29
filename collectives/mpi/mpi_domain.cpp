#include "collectives/mpi/mpi_domain.hpp"

#include "base/clock.hpp"
#include "collectives/mpi/mpi_status.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

#include <sched.h>

namespace cuboid::detail {

namespace {

/// The data that MPI keeps with a communicator for Cuboid.
using Attached = std::shared_ptr<MpiDomain>;

int end_of_communicator(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Attached> domain(static_cast<Attached*>(attribute));
  (*domain)->close();
  return MPI_SUCCESS;
}

int make_key() {
  int key = MPI_KEYVAL_INVALID;
  require_mpi(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_communicator, &key, nullptr),
              "MPI_Comm_create_keyval");
  return key;
}

void attach(MPI_Comm communicator, int key, const Attached& domain) {
  auto attribute = std::make_unique<Attached>(domain);
  require_mpi(PMPI_Comm_set_attr(communicator, key, attribute.get()), "MPI_Comm_set_attr");
  static_cast<void>(attribute.release());  // MPI's, until it calls end_of_communicator()
}

/// Waits for all ranks to be here; false if one is not for a while.
bool all_close(MPI_Comm communicator) {
  constexpr std::chrono::seconds patience{1};
  const auto until = Clock::now() + patience;
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(communicator, &barrier) != MPI_SUCCESS) return false;
  for (int done = 0; done == 0;) {
    if (PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done == 0 && Clock::now() > until) return false;
    if (done == 0) sched_yield();
  }
  return true;
}

/// Receives all messages that no receive is posted for. What is in them does not matter, nor that
/// they are longer than the memory here.
void drop_what_came(MPI_Comm communicator) {
  std::byte nothing = {};
  for (;;) {
    int came = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &came, &status) != MPI_SUCCESS ||
        came == 0)
      return;
    PMPI_Recv(&nothing, 1, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, communicator,
              MPI_STATUS_IGNORE);
  }
}

int highest_tag(MPI_Comm communicator) {
  constexpr int guaranteed = 32767;  // by the standard
  int found = 0;
  const int* highest = nullptr;
  require_mpi(PMPI_Comm_get_attr(communicator, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  return found != 0 ? *highest : guaranteed;
}

}  // namespace

std::shared_ptr<MpiDomain> MpiDomain::of(MPI_Comm parent) {
  // Simulated ranks are one process, whose attributes they share; the program is ours there.
  if (simulated) return std::make_shared<MpiDomain>(parent);
  static const int key = make_key();
  int found = 0;
  void* attribute = nullptr;
  require_mpi(PMPI_Comm_get_attr(parent, key, static_cast<void*>(&attribute), &found),
              "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Attached*>(attribute);

  MPI_Comm own = MPI_COMM_NULL;
  require_mpi(PMPI_Comm_dup(parent, &own), "MPI_Comm_dup");
  require_mpi(PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  auto domain = std::make_shared<MpiDomain>(own);
  attach(parent, key, domain);
  // MPI_Finalize() begins with MPI_COMM_SELF. A key of its own: one communicator has one value.
  int key_of_end = make_key();
  attach(MPI_COMM_SELF, key_of_end, domain);
  require_mpi(PMPI_Comm_free_keyval(&key_of_end), "MPI_Comm_free_keyval");
  return domain;
}

std::shared_ptr<MpiDomain> MpiDomain::apart_from(MPI_Comm parent) {
  MPI_Group group = MPI_GROUP_NULL;
  require_mpi(PMPI_Comm_group(parent, &group), "MPI_Comm_group");
  MPI_Comm own = MPI_COMM_NULL;
  const int status = PMPI_Comm_create(parent, group, &own);
  PMPI_Group_free(&group);
  require_mpi(status, "MPI_Comm_create");
  require_mpi(PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return {new MpiDomain(own), [](MpiDomain* domain) {
            domain->close();
            delete domain;
          }};
}

MpiDomain::MpiDomain(MPI_Comm communicator)
    : communicator_(communicator), highest_tag_(highest_tag(communicator)) {}

int MpiDomain::next_data_tag() {
  const auto room = static_cast<std::uint32_t>(highest_tag_) - envelopes;
  return static_cast<int>(envelopes + data_messages_++ % room);
}

void MpiDomain::add(const void* carrier, std::function<void()> close) {
  carriers_.push_back({carrier, std::move(close)});
}

void MpiDomain::remove(const void* carrier) {
  std::erase_if(carriers_, [carrier](const Carrier& one) { return one.carrier == carrier; });
}

// A communicator must not be freed while messages on it are unmatched (MPICH ends the program), as
// the goodbyes are of ranks that close after this one. So the ranks wait for each other; if one
// does not come, the communicator stays until MPI ends.
void MpiDomain::close() {
  if (std::exchange(closed_, true)) return;
  for (const Carrier& one : std::exchange(carriers_, {})) one.close();
  if (!all_close(communicator_)) return;
  drop_what_came(communicator_);
  PMPI_Comm_free(&communicator_);
}

}  // namespace cuboid::detail
