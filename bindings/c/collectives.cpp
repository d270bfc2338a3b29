#include <cuboid/allgather.hpp>
#include <cuboid/allreduce.hpp>
#include <cuboid/alltoall.hpp>
#include <cuboid/barrier.hpp>
#include <cuboid/broadcast.hpp>
#include <cuboid/gather.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/reduce.hpp>
#include <cuboid/reduce_scatter.hpp>
#include <cuboid/scan.hpp>
#include <cuboid/scatter.hpp>

#include "bindings/c/handles.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

using namespace cuboid::detail::c;
using cuboid::Buffer;
using cuboid::Communicator;
using cuboid::ConstBuffer;
using cuboid::Neighbourhood;

namespace {

using Counts = std::span<const std::size_t>;

bool is_in_place(const void* buffer) {
  return buffer == CUBOID_IN_PLACE;
}

Counts list(const size_t* numbers, const Communicator& communicator) {
  if (numbers == nullptr) return {};
  return {numbers, static_cast<std::size_t>(communicator.size())};
}

Counts list(const size_t* numbers, const std::vector<Neighbourhood::Link>& neighbours) {
  if (numbers == nullptr) return {};
  return {numbers, neighbours.size()};
}

Counts required_list(const size_t* numbers, const Communicator& communicator) {
  return list(&required(numbers, "the list of counts"), communicator);
}

/// Elements of a buffer from its first element to the end of its last block.
std::size_t extent(Counts counts, Counts displacements) {
  if (displacements.empty()) return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    end = std::max(end, displacements[rank] + counts[rank]);
  return end;
}

std::size_t displacement(Counts counts, Counts displacements, int rank) {
  const auto number = static_cast<std::size_t>(rank);
  if (!displacements.empty()) return displacements[number];
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

std::byte* element(void* buffer, std::size_t number, cuboid_datatype type) {
  return static_cast<std::byte*>(buffer) + number * type_of(type).bytes();
}

ConstBuffer reads(const void* data, std::size_t count, cuboid_datatype type) {
  return {data, count, type_of(type)};
}
Buffer writes(void* data, std::size_t count, cuboid_datatype type) {
  return {data, count, type_of(type)};
}

std::size_t times_ranks(std::size_t count, const Communicator& communicator) {
  return count * static_cast<std::size_t>(communicator.size());
}
std::size_t rank_of(const Communicator& communicator) {
  return static_cast<std::size_t>(communicator.rank());
}

// The input and output of a call as Cuboid takes them, by the kind of call.

struct Sides {
  ConstBuffer input;
  Buffer output;
};

Sides for_reduce(const Communicator& communicator, const void* input, void* output,
                 std::size_t count, cuboid_datatype type, int root) {
  const bool is_root = communicator.rank() == root;
  return {reads(is_in_place(input) ? output : input, count, type),
          writes(is_root ? output : nullptr, is_root ? count : 0, type)};
}

Sides for_allreduce(const void* input, void* output, std::size_t count, cuboid_datatype type) {
  return {reads(is_in_place(input) ? output : input, count, type), writes(output, count, type)};
}

Sides for_reduce_scatter(const Communicator& communicator, const void* input, void* output,
                         Counts counts, cuboid_datatype type) {
  const std::size_t own = displacement(counts, {}, communicator.rank());
  if (is_in_place(output)) output = element(const_cast<void*>(input), own, type);
  return {reads(input, extent(counts, {}), type),
          writes(output, counts[rank_of(communicator)], type)};
}

/// The sides of an all-gather, and of a gather at its root: `output` receives one block of each
/// rank.
Sides for_all_blocks_out(const Communicator& communicator, const void* input, std::size_t count,
                         void* output, Counts counts, Counts displacements, cuboid_datatype type) {
  const std::size_t own = displacement(counts, displacements, communicator.rank());
  return {reads(is_in_place(input) ? element(output, own, type) : input, count, type),
          writes(output, extent(counts, displacements), type)};
}

Sides for_gather(const Communicator& communicator, const void* input, std::size_t count,
                 void* output, Counts counts, Counts displacements, int root,
                 cuboid_datatype type) {
  if (communicator.rank() != root) return {reads(input, count, type), writes(nullptr, 0, type)};
  return for_all_blocks_out(communicator, input, count, output, counts, displacements, type);
}

Sides for_scatter(const Communicator& communicator, const void* input, Counts counts,
                  Counts displacements, void* output, std::size_t count, int root,
                  cuboid_datatype type) {
  if (communicator.rank() != root) return {reads(nullptr, 0, type), writes(output, count, type)};
  const std::size_t own = displacement(counts, displacements, communicator.rank());
  if (is_in_place(output)) output = element(const_cast<void*>(input), own, type);
  return {reads(input, extent(counts, displacements), type), writes(output, count, type)};
}

/// The counts of a v-form at the root, else nothing: the lists are significant only there.
Counts at_root(const size_t* numbers, const Communicator& communicator, int root) {
  return communicator.rank() == root ? list(numbers, communicator) : Counts();
}

/// The counts of equal blocks, one per rank.
std::vector<std::size_t> equal(std::size_t count, const Communicator& communicator) {
  return std::vector<std::size_t>(static_cast<std::size_t>(communicator.size()), count);
}

}  // namespace

#define CUBOID_LIST(...) __VA_ARGS__
/// The three forms of a call: the parameters, the arguments of Cuboid's functions, and (the rest)
/// statements that prepare them.
#define CUBOID_COLLECTIVE(name, parameters, arguments, ...)                     \
  int cuboid_##name(CUBOID_LIST parameters, cuboid_communicator handle) {       \
    return guarded([&] {                                                        \
      const Communicator& communicator = of(handle);                            \
      __VA_ARGS__;                                                              \
      cuboid::name(communicator, CUBOID_LIST arguments);                        \
    });                                                                         \
  }                                                                             \
  int cuboid_##name##_start(CUBOID_LIST parameters, cuboid_communicator handle, \
                            cuboid_request* request) {                          \
    return guarded([&] {                                                        \
      const Communicator& communicator = of(handle);                            \
      __VA_ARGS__;                                                              \
      give(cuboid::start_##name(communicator, CUBOID_LIST arguments), request); \
    });                                                                         \
  }                                                                             \
  int cuboid_##name##_plan(CUBOID_LIST parameters, cuboid_communicator handle,  \
                           cuboid_plan* plan) {                                 \
    return guarded([&] {                                                        \
      const Communicator& communicator = of(handle);                            \
      __VA_ARGS__;                                                              \
      give(cuboid::plan_##name(communicator, CUBOID_LIST arguments), plan);     \
    });                                                                         \
  }

int cuboid_barrier(cuboid_communicator communicator) {
  return guarded([&] { cuboid::barrier(of(communicator)); });
}
int cuboid_barrier_start(cuboid_communicator communicator, cuboid_request* request) {
  return guarded([&] { give(cuboid::start_barrier(of(communicator)), request); });
}
int cuboid_barrier_plan(cuboid_communicator communicator, cuboid_plan* plan) {
  return guarded([&] { give(cuboid::plan_barrier(of(communicator)), plan); });
}

CUBOID_COLLECTIVE(broadcast, (void* buffer, size_t count, cuboid_datatype type, int root),
                  (writes(buffer, count, type), root))

CUBOID_COLLECTIVE(reduce,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction, int root),
                  (sides.input, sides.output, reduction_of(reduction), root),
                  const Sides sides = for_reduce(communicator, input, output, count, type, root))

CUBOID_COLLECTIVE(allreduce,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction),
                  (sides.input, sides.output, reduction_of(reduction)),
                  const Sides sides = for_allreduce(input, output, count, type))

CUBOID_COLLECTIVE(reduce_scatter,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction),
                  (sides.input, sides.output, reduction_of(reduction)),
                  const auto counts = equal(count, communicator);
                  const Sides sides = for_reduce_scatter(communicator, input, output, counts, type))

CUBOID_COLLECTIVE(reduce_scatterv,
                  (const void* input, void* output, const size_t* counts, cuboid_datatype type,
                   cuboid_reduction reduction),
                  (sides.input, sides.output, all, reduction_of(reduction)),
                  const Counts all = required_list(counts, communicator);
                  const Sides sides = for_reduce_scatter(communicator, input, output, all, type))

CUBOID_COLLECTIVE(allgather, (const void* input, size_t count, cuboid_datatype type, void* output),
                  (sides.input, sides.output), const auto counts = equal(count, communicator);
                  const Sides sides = for_all_blocks_out(communicator, input, count, output, counts,
                                                         {}, type))

CUBOID_COLLECTIVE(allgatherv,
                  (const void* input, cuboid_datatype type, void* output, const size_t* counts,
                   const size_t* displacements),
                  (sides.input, sides.output, all, places),
                  const Counts all = required_list(counts, communicator);
                  const Counts places = list(displacements, communicator);
                  const Sides sides = for_all_blocks_out(communicator, input,
                                                         all[rank_of(communicator)], output, all,
                                                         places, type))

CUBOID_COLLECTIVE(gather,
                  (const void* input, size_t count, cuboid_datatype type, void* output, int root),
                  (sides.input, sides.output, root), const auto counts = equal(count, communicator);
                  const Sides sides = for_gather(communicator, input, count, output, counts, {},
                                                 root, type))

CUBOID_COLLECTIVE(gatherv,
                  (const void* input, size_t count, cuboid_datatype type, void* output,
                   const size_t* counts, const size_t* displacements, int root),
                  (sides.input, sides.output, all, places, root),
                  const Counts all = at_root(counts, communicator, root);
                  const Counts places = at_root(displacements, communicator, root);
                  const Sides sides = for_gather(communicator, input, count, output, all, places,
                                                 root, type))

CUBOID_COLLECTIVE(scatter,
                  (const void* input, void* output, size_t count, cuboid_datatype type, int root),
                  (sides.input, sides.output, root), const auto counts = equal(count, communicator);
                  const Sides sides = for_scatter(communicator, input, counts, {}, output, count,
                                                  root, type))

CUBOID_COLLECTIVE(scatterv,
                  (const void* input, const size_t* counts, const size_t* displacements,
                   void* output, size_t count, cuboid_datatype type, int root),
                  (sides.input, all, places, sides.output, root),
                  const Counts all = at_root(counts, communicator, root);
                  const Counts places = at_root(displacements, communicator, root);
                  const Sides sides = for_scatter(communicator, input, all, places, output, count,
                                                  root, type))

CUBOID_COLLECTIVE(alltoall, (const void* input, void* output, size_t count, cuboid_datatype type),
                  (reads(input, all, type), writes(output, all, type)),
                  const std::size_t all = times_ranks(count, communicator))

CUBOID_COLLECTIVE(alltoallv,
                  (const void* input, const size_t* input_counts, const size_t* input_displacements,
                   void* output, const size_t* output_counts, const size_t* output_displacements,
                   cuboid_datatype type),
                  (reads(input, extent(sent, sent_places), type), {sent, sent_places},
                   writes(output, extent(received, received_places), type),
                   {received, received_places}),
                  const Counts sent = required_list(input_counts, communicator);
                  const Counts sent_places = list(input_displacements, communicator);
                  const Counts received = required_list(output_counts, communicator);
                  const Counts received_places = list(output_displacements, communicator))

CUBOID_COLLECTIVE(scan,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction),
                  (sides.input, sides.output, reduction_of(reduction)),
                  const Sides sides = for_allreduce(input, output, count, type))

CUBOID_COLLECTIVE(exscan,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction),
                  (sides.input, sides.output, reduction_of(reduction)),
                  const Sides sides = for_allreduce(input, output, count, type))

CUBOID_COLLECTIVE(neighbour_allgather,
                  (const void* input, size_t count, cuboid_datatype type, void* output,
                   cuboid_neighbourhood neighbours),
                  (all, reads(input, count, type),
                   writes(output, count* all.sources().size(), type)),
                  const Neighbourhood& all = of(neighbours))

CUBOID_COLLECTIVE(neighbour_alltoall,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_neighbourhood neighbours),
                  (all, reads(input, count* all.destinations().size(), type),
                   writes(output, count* all.sources().size(), type)),
                  const Neighbourhood& all = of(neighbours))

CUBOID_COLLECTIVE(neighbour_alltoallv,
                  (const void* input, const size_t* input_counts, const size_t* input_displacements,
                   void* output, const size_t* output_counts, const size_t* output_displacements,
                   cuboid_datatype type, cuboid_neighbourhood neighbours),
                  (all, reads(input, extent(sent, sent_places), type), {sent, sent_places},
                   writes(output, extent(received, received_places), type),
                   {received, received_places}),
                  const Neighbourhood& all = of(neighbours);
                  const Counts sent = list(input_counts, all.destinations());
                  const Counts sent_places = list(input_displacements, all.destinations());
                  const Counts received = list(output_counts, all.sources());
                  const Counts received_places = list(output_displacements, all.sources()))

CUBOID_COLLECTIVE(send,
                  (const void* message, size_t count, cuboid_datatype type, int destination,
                   int number),
                  (reads(message, count, type), destination, number))

CUBOID_COLLECTIVE(receive,
                  (void* message, size_t count, cuboid_datatype type, int source, int number),
                  (writes(message, count, type), source, number))

CUBOID_COLLECTIVE(exchange,
                  (const void* outgoing, size_t outgoing_count, int destination, void* incoming,
                   size_t incoming_count, int source, cuboid_datatype type, int number),
                  (reads(outgoing, outgoing_count, type), destination,
                   writes(incoming, incoming_count, type), source, number))
