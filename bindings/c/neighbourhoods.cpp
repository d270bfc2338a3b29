#include "bindings/c/handles.hpp"

#include <span>
#include <vector>

using namespace cuboid::detail::c;
using cuboid::Neighbourhood;

namespace {

std::span<const int> ranks(std::size_t count, const int* list) {
  if (count == 0) return {};
  return {&required(list, "the list of neighbours"), count};
}

}  // namespace

int cuboid_neighbourhood_graph(size_t sources, const int* source_ranks, size_t destinations,
                               const int* destination_ranks, cuboid_neighbourhood* neighbourhood) {
  return guarded([&] {
    required(neighbourhood, "the pointer to a neighbourhood") = new cuboid_neighbourhood_s{
        Neighbourhood::graph(ranks(sources, source_ranks), ranks(destinations, destination_ranks))};
  });
}

int cuboid_neighbourhood_grid(int dimensions, const int* extents, const int* wraps, int rank,
                              cuboid_neighbourhood* neighbourhood) {
  return guarded([&] {
    std::vector<cuboid::Axis> axes;
    for (int axis = 0; axis < dimensions; ++axis)
      axes.push_back({(&required(extents, "the extents"))[axis],
                      (&required(wraps, "whether axes wrap"))[axis] != 0});
    required(neighbourhood, "the pointer to a neighbourhood") =
        new cuboid_neighbourhood_s{Neighbourhood::grid(cuboid::Shape(std::move(axes)), rank)};
  });
}

int cuboid_neighbourhood_free(cuboid_neighbourhood* neighbourhood) {
  return free_handle(neighbourhood);
}
