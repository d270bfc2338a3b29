#include "bindings/scalapack/calls/context.hpp"

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/ticket_lock.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

namespace cuboid::detail::scalapack {

namespace {

/// State of the process. It is never destroyed: MPI may delete attributes until the process ends.
struct Registry {
  std::mutex mutex;
  std::map<int, std::unique_ptr<Context>> by_number;  // null: Cuboid does not serve the context
  /// By the processes of a context, which live as long as this process.
  std::map<const drop_in::Processes*, std::shared_ptr<Choices>> choices;
};

Registry& registry() {
  static Registry& one = *new Registry;
  return one;
}

/// Called by MPI when the communicator of a context is freed.
int forget(MPI_Comm, int, void* value, void*) {
  std::unique_ptr<Context> gone;
  const auto number = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().by_number.find(number);
    if (found == registry().by_number.end()) return MPI_SUCCESS;
    gone = std::move(found->second);
    registry().by_number.erase(found);
  }
  const std::lock_guard guard(drop_in::cuboid_lock());
  gone.reset();
  return MPI_SUCCESS;
}

/// Runs before MPI ends: the remaining contexts are not used any more.
void take_down() {
  const std::lock_guard lock(registry().mutex);
  const std::lock_guard guard(drop_in::cuboid_lock());
  for (auto& [number, context] : registry().by_number) context.reset();
}

int key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &key, nullptr);
    return key;
  }();
  return made;
}

/// The communicator's ranks by their places on the grid. BLACS numbers the places by rows or by
/// columns; nullopt for any other numbering. Collective.
std::optional<GridShape> numbering(const BlacsGrid& grid, int rank, MPI_Comm communicator) {
  const bool by_rows = rank == grid.row * grid.columns + grid.column;
  const bool by_columns = rank == grid.column * grid.rows + grid.row;
  std::array<std::int64_t, 2> otherwise = {by_rows ? 0 : 1, by_columns ? 0 : 1};
  drop_in::agree_on_greatest(std::span(otherwise), communicator);
  if (otherwise[0] == 0) return GridShape(grid.rows, grid.columns, GridOrder::row_major);
  if (otherwise[1] == 0) return GridShape(grid.rows, grid.columns, GridOrder::column_major);
  return std::nullopt;
}

std::shared_ptr<Choices> choices_of(const drop_in::Processes* processes) {
  if (drop_in::threads_at_once()) return std::make_shared<Choices>();
  std::shared_ptr<Choices>& known = registry().choices[processes];
  if (!known) known = std::make_shared<Choices>();
  return known;
}

std::unique_ptr<Context> make(const BlacsGrid& grid, MPI_Comm communicator) {
  drop_in::CommunicatorRecord* const record = drop_in::record_of(communicator);
  if (record == nullptr || record->never) return nullptr;
  const auto ranks = numbering(grid, record->rank, communicator);
  if (!ranks || record->size != ranks->size()) return nullptr;
  auto context = std::make_unique<Context>();
  context->communicator = communicator;
  context->grid = grid;
  context->ranks = *ranks;
  context->record = record;
  context->choices = choices_of(record->processes.get());
  return context;
}

}  // namespace

Context* context_of(int number, const BlacsGrid& grid) {
  if (drop_in::finalized() || !grid.has_this_process()) return nullptr;
  if (grid.rows * grid.columns < 2) return nullptr;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto known = all.by_number.find(number);
  if (known != all.by_number.end()) return known->second.get();
  const auto communicator = communicator_of(number);
  if (!communicator) return nullptr;
  // The attribute is set in any case, because another context may have this number later.
  auto* const value = reinterpret_cast<void*>(static_cast<std::intptr_t>(number));
  if (PMPI_Comm_set_attr(*communicator, key(), value) != MPI_SUCCESS) return nullptr;
  drop_in::at_finalize(&take_down);
  return all.by_number.emplace(number, make(grid, *communicator)).first->second.get();
}

}  // namespace cuboid::detail::scalapack
