#include "collectives/bootstrap/mpi_domain.hpp"

#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/bootstrap/roll_call.hpp"
#include "collectives/bootstrap/simulated.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

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
  // It belongs to MPI until MPI calls end_of_communicator().
  static_cast<void>(attribute.release());
}

constexpr std::chrono::seconds patience_at_the_end{1};

/// Waits until all ranks have come here. Returns false if some rank does not come for a while.
bool all_close(MPI_Comm communicator) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(communicator, &barrier) != MPI_SUCCESS) return false;
  return look_until(deadline_after(patience_at_the_end), [&] { return is_complete(barrier); });
}

/// Receives all messages that have no posted receive. Returns false if the rest of a message does
/// not come. Neither the content of the messages matters, nor that they are longer than the memory
/// here.
bool drop_what_came(MPI_Comm communicator) {
  static std::byte nothing = {};
  for (;;) {
    int came = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &came, &status) != MPI_SUCCESS ||
        came == 0)
      return true;
    MPI_Request rest = MPI_REQUEST_NULL;
    PMPI_Irecv(&nothing, 1, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, communicator, &rest);
    const auto over = [&] {
      int complete = 0;
      return PMPI_Test(&rest, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete != 0;
    };
    if (!look_until(deadline_after(patience_at_the_end), over)) return false;
  }
}

/// Duplicates a program's communicator. If ranks are missing, throws an error that names them on
/// every rank that came.
MPI_Comm duplicate(MPI_Comm parent, std::chrono::duration<double> timeout) {
  constexpr std::chrono::duration<double> patience_once_all_came{5.0};
  struct Duplication {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  constexpr const char* purpose = "bootstrap";
  call_the_roll(parent, purpose, true, timeout);
  auto duplication = std::make_unique<Duplication>();  // MPI writes into it
  require_mpi(PMPI_Comm_idup(parent, &duplication->made, &duplication->request), "MPI_Comm_idup");
  const bool done =
      look_until(deadline_after(timeout), [&] { return is_complete(duplication->request); });
  const MPI_Comm made = duplication->made;
  if (!done) static_cast<void>(duplication.release());
  call_the_roll(parent, purpose, done, patience_once_all_came);
  return made;
}

int highest_tag(MPI_Comm communicator) {
  constexpr int guaranteed = 32767;  // by the standard
  int found = 0;
  const int* highest = nullptr;
  require_mpi(PMPI_Comm_get_attr(communicator, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  return found != 0 ? *highest : guaranteed;
}

}  // namespace

std::shared_ptr<MpiDomain> MpiDomain::of(MPI_Comm parent, std::chrono::duration<double> timeout) {
  static const int key = make_key();
  int found = 0;
  void* attribute = nullptr;
  require_mpi(PMPI_Comm_get_attr(parent, key, static_cast<void*>(&attribute), &found),
              "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Attached*>(attribute);

  auto domain = std::make_shared<MpiDomain>(duplicate(parent, timeout));
  attach(parent, key, domain);
  // MPI_Finalize() begins by freeing the attributes of MPI_COMM_SELF. Each domain needs a key of
  // its own there, because a communicator has one value for each key.
  int key_of_end = make_key();
  attach(MPI_COMM_SELF, key_of_end, domain);
  require_mpi(PMPI_Comm_free_keyval(&key_of_end), "MPI_Comm_free_keyval");
  return domain;
}

std::shared_ptr<MpiDomain> MpiDomain::apart_from(MPI_Comm parent) {
  MPI_Group group = MPI_GROUP_NULL;
  require_mpi(PMPI_Comm_group(parent, &group), "MPI_Comm_group");
  MPI_Comm own = MPI_COMM_NULL;
  // waits: as MPI does for a late rank; it is the drop-in's
  const int status = PMPI_Comm_create(parent, group, &own);
  PMPI_Group_free(&group);
  require_mpi(status, "MPI_Comm_create");
  return {new MpiDomain(own), [](MpiDomain* domain) {
            domain->close();
            delete domain;
          }};
}

MpiDomain::MpiDomain(MPI_Comm communicator)
    : communicator_(communicator), highest_tag_(highest_tag(communicator)) {
  if (simulated) return;  // simulated ranks share the communicator's settings with the program
  require_mpi(PMPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN),
              "MPI_Comm_set_errhandler");
}

int MpiDomain::next_bootstrap_tag() {
  return highest_tag_ - static_cast<int>(bootstraps_made_++ % bootstraps);
}

int MpiDomain::next_data_tag() {
  const auto room = static_cast<std::uint32_t>(highest_tag_) - envelopes - bootstraps;
  return static_cast<int>(envelopes + data_messages_++ % room);
}

void MpiDomain::add(const void* carrier, std::function<void()> close) {
  may_leave_messages();
  carriers_.push_back({carrier, std::move(close)});
}

void MpiDomain::remove(const void* carrier) {
  std::erase_if(carriers_, [carrier](const OpenCarrier& one) { return one.carrier == carrier; });
}

// A communicator must not be freed while it has messages without a receive (MPICH ends the
// program), such as the goodbyes of ranks that close after this one. So the ranks wait for each
// other. If some rank does not come, the communicator stays until MPI ends.
void MpiDomain::close() {
  if (std::exchange(closed_, true)) return;
  for (const OpenCarrier& one : std::exchange(carriers_, {})) one.close();
  if (unmatched_ && !(all_close(communicator_) && drop_what_came(communicator_))) return;
  // waits: for nobody, MPI libraries free what is not in use by themselves
  PMPI_Comm_free(&communicator_);
}

}  // namespace cuboid::detail
