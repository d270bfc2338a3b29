#include "bindings/dropin/communicator_record.hpp"

#include "bindings/dropin/fast_pass_through.hpp"
#include "bindings/dropin/ticket_lock.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

namespace cuboid::detail::drop_in {

namespace {

/// The registry is never destroyed, because MPI may delete attributes until the process ends.
struct Registry {
  std::mutex mutex;
  std::set<CommunicatorRecord*> record;
  std::vector<std::shared_ptr<Processes>> processes;
  std::vector<void (*)()> at_finalize;
  std::atomic<bool> finalized = false;
  bool told_mpi = false;
};

Registry& registry() {
  static Registry& one = *new Registry;
  return one;
}

/// Called by MPI when a communicator is freed, or when MPI ends.
int forget(MPI_Comm communicator, int, void* value, void*) {
  fast_pass_through.forget(communicator);
  auto* const record = static_cast<CommunicatorRecord*>(value);
  {
    const std::lock_guard lock(registry().mutex);
    registry().record.erase(record);
  }
  const std::lock_guard guard(cuboid_lock());
  delete record;
  return MPI_SUCCESS;
}

/// MPI deletes the attributes of MPI_COMM_SELF first when it is finalised (MPI 3.1, §8.7.1).
int finalize(MPI_Comm, int, void*, void*) {
  Registry& all = registry();
  all.finalized = true;
  {
    const std::lock_guard lock(all.mutex);
    const std::lock_guard guard(cuboid_lock());
    for (CommunicatorRecord* const record : all.record) {
      record->drop_shadows();
      record->never = true;
    }
  }
  for (const auto what : all.at_finalize) what();
  return MPI_SUCCESS;
}

int make_key(MPI_Comm_delete_attr_function* on_delete) {
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, nullptr);
  return key;
}

int key() {
  static const int made = make_key(&forget);
  return made;
}

/// The ranks in MPI_COMM_WORLD of a communicator's processes; empty if some belong to another
/// world.
std::vector<int> world_ranks_of(MPI_Comm communicator, int size) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(communicator, &group);
  std::vector<int> here(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) here[static_cast<std::size_t>(rank)] = rank;
  std::vector<int> there(here.size());
  PMPI_Group_translate_ranks(group, size, here.data(), world, there.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (std::ranges::find(there, MPI_UNDEFINED) != there.end()) return {};
  return there;
}

/// Several threads may make calls on communicators of the same processes in different orders. Then
/// what one communicator learns would reach the ranks at different times, so each communicator
/// learns for itself.
std::shared_ptr<Processes> processes_of(std::vector<int> world_ranks) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!threads_at_once()) {
    for (const auto& known : all.processes) {
      if (known->world_ranks == world_ranks) return known;
    }
  }
  auto made = std::make_shared<Processes>();
  made->world_ranks = std::move(world_ranks);
  if (!threads_at_once()) all.processes.push_back(made);
  return made;
}

CommunicatorRecord* make(MPI_Comm communicator) {
  auto record = std::make_unique<CommunicatorRecord>();
  int inter = 0;
  PMPI_Comm_test_inter(communicator, &inter);
  PMPI_Comm_rank(communicator, &record->rank);
  PMPI_Comm_size(communicator, &record->size);
  record->never = inter != 0 || record->size < 2;
  if (!record->never) {
    auto world_ranks = world_ranks_of(communicator, record->size);
    record->never = world_ranks.empty();
    record->processes = processes_of(std::move(world_ranks));
  }
  if (PMPI_Comm_set_attr(communicator, key(), record.get()) != MPI_SUCCESS) return nullptr;
  const std::lock_guard lock(registry().mutex);
  registry().record.insert(record.get());
  return record.release();
}

}  // namespace

bool has_world() {
  static std::atomic<bool> had = false;
  if (had.load(std::memory_order_relaxed)) return true;
  int initialised = 0;
  PMPI_Initialized(&initialised);
  if (initialised != 0) had.store(true, std::memory_order_relaxed);
  return initialised != 0;
}

CommunicatorRecord* record_of(MPI_Comm communicator) {
  if (finalized() || !has_world()) return nullptr;
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(communicator, key(), &value, &found) != MPI_SUCCESS) return nullptr;
  return found != 0 ? static_cast<CommunicatorRecord*>(value) : make(communicator);
}

bool threads_at_once() {
  static const bool several = [] {
    int provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&provided);
    return provided == MPI_THREAD_MULTIPLE;
  }();
  return several;
}

void at_finalize(void (*what)()) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (std::ranges::find(all.at_finalize, what) == all.at_finalize.end())
    all.at_finalize.push_back(what);
  if (std::exchange(all.told_mpi, true)) return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, make_key(&finalize), &all);
}

bool finalized() {
  return registry().finalized.load(std::memory_order_relaxed);
}

}  // namespace cuboid::detail::drop_in
