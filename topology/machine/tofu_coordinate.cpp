#include "topology/machine/tofu_coordinate.hpp"

#include <array>
#include <vector>

#include <dlfcn.h>

namespace cuboid::detail {

namespace {

constexpr int success = 0;       // FJMPI_SUCCESS, and MPI_SUCCESS
constexpr int logical_view = 0;  // FJMPI_LOGICAL
constexpr int most_dimensions = 3;

template <class Function>
Function* find_function(const FindSymbol& find, const char* name) {
  return reinterpret_cast<Function*>(find(name));
}

/// The communicator MPI_COMM_WORLD and this rank in it. Fujitsu's MPI, like Open MPI, represents
/// the communicator by the address of a variable. nullopt if MPI is not in use.
struct World {
  void* communicator;
  int rank;
};

std::optional<World> find_world(const FindSymbol& find) {
  void* const world = find("ompi_mpi_comm_world");
  auto* const initialised = find_function<int(int*)>(find, "MPI_Initialized");
  auto* const finalised = find_function<int(int*)>(find, "MPI_Finalized");
  auto* const rank_of = find_function<int(void*, int*)>(find, "MPI_Comm_rank");
  if (world == nullptr || initialised == nullptr || finalised == nullptr || rank_of == nullptr)
    return std::nullopt;
  int begun = 0;
  int ended = 0;
  int rank = 0;
  if (initialised(&begun) != success || finalised(&ended) != success || begun == 0 || ended != 0 ||
      rank_of(world, &rank) != success)
    return std::nullopt;
  return World{world, rank};
}

}  // namespace

void* find_loaded_symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

std::optional<HandedCoordinate> read_tofu_coordinate(const FindSymbol& find) {
  auto* const get_dimension = find_function<int(int*)>(find, "FJMPI_Topology_get_dimension");
  auto* const get_shape = find_function<int(int*, int*, int*)>(find, "FJMPI_Topology_get_shape");
  auto* const get_coordinates =
      find_function<int(void*, int, int, int, int*)>(find, "FJMPI_Topology_get_coords");
  if (get_dimension == nullptr || get_shape == nullptr || get_coordinates == nullptr)
    return std::nullopt;
  const auto world = find_world(find);
  if (!world) return std::nullopt;

  int dimensions = 0;
  std::array<int, most_dimensions> extents{};
  std::array<int, most_dimensions> place{};
  if (get_dimension(&dimensions) != success || dimensions < 1 || dimensions > most_dimensions ||
      get_shape(&extents[0], &extents[1], &extents[2]) != success ||
      get_coordinates(world->communicator, world->rank, logical_view, dimensions, place.data()) !=
          success)
    return std::nullopt;

  HandedCoordinate handed;
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
    if (place[axis] < 0 || place[axis] >= extents[axis]) return std::nullopt;
    handed.coordinate.push_back(place[axis]);
    axes.push_back({extents[axis], true});
  }
  handed.shape =
      ShapeSpec{Shape(std::move(axes)), std::vector<double>(static_cast<std::size_t>(dimensions))};
  return handed;
}

}  // namespace cuboid::detail
