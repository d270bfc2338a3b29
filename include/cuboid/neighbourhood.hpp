#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/request.hpp>
#include <cuboid/shape.hpp>

#include <span>
#include <vector>

namespace cuboid {

/// The ranks that a rank receives from, and the ranks that it sends to, each in an order that this
/// rank chooses. A plain value: each rank makes its own.
class CUBOID_API Neighbourhood {
 public:
  /// A place in the list of neighbours that stays empty: its block is neither sent nor written.
  static constexpr int nobody = -1;

  /// A neighbourhood of any graph. Rank i must be among the sources of j as often as j is among the
  /// destinations of i. The first block that i sends to j is the first block that j receives from
  /// i, and so on. Not collective, and without checks: the collectives check the ranks.
  static Neighbourhood graph(std::span<const int> sources, std::span<const int> destinations);

  /// The neighbours of `rank` on a grid, with as many sources as destinations. For each axis, the
  /// rank below comes first, then the rank above; `nobody` stands at the end of an axis that does
  /// not wrap. Rank r is at grid.coordinate(r). A block that a rank sends downwards, its neighbour
  /// receives from above, also on an axis that wraps and has one or two ranks. Throws
  /// Error(invalid_argument) if `rank` is not on the grid.
  static Neighbourhood grid(const Shape& grid, int rank);

  /// A neighbour, and the number of this message among the messages between the two ranks.
  struct NeighbourLink {
    int rank = nobody;
    int number = 0;
  };
  /// The sources in the order of the blocks of a collective's output, and the destinations in the
  /// order of the blocks of its input.
  const std::vector<NeighbourLink>& sources() const { return sources_; }
  const std::vector<NeighbourLink>& destinations() const { return destinations_; }

 private:
  std::vector<NeighbourLink> sources_;
  std::vector<NeighbourLink> destinations_;
};

/// Sends `input` to every destination. Block k of `output` is the input of source k. Collective
/// over the communicator, also for ranks without neighbours.
/// @param input   same count and type on every rank.
/// @param output  a block per source; must not overlap `input`.
/// Throws as every collective (see Communicator), and Error(invalid_argument) if a
/// neighbour is not a rank of the communicator.
CUBOID_API void neighbour_allgather(const Communicator& communicator,
                                    const Neighbourhood& neighbourhood, ConstBuffer input,
                                    Buffer output);
/// neighbour_allgather() without waiting: returns a request; the buffers belong to it until it is
/// complete.
CUBOID_API Request start_neighbour_allgather(const Communicator& communicator,
                                             const Neighbourhood& neighbourhood, ConstBuffer input,
                                             Buffer output, OnStream after = {});
/// A plan of neighbour_allgather() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_neighbour_allgather(const Communicator& communicator,
                                                   const Neighbourhood& neighbourhood,
                                                   ConstBuffer input, Buffer output);

/// Sends block k of `input` to destination k. Block k of `output` is the block that source k sends.
/// Collective over the communicator, also for ranks without neighbours.
/// @param input   a block per destination, all of one length; the same length on every rank.
/// @param output  a block of the same length per source; must not overlap `input`.
/// Throws as neighbour_allgather().
CUBOID_API void neighbour_alltoall(const Communicator& communicator,
                                   const Neighbourhood& neighbourhood, ConstBuffer input,
                                   Buffer output);
/// neighbour_alltoall() without waiting: returns a request; the buffers belong to it until it is
/// complete.
CUBOID_API Request start_neighbour_alltoall(const Communicator& communicator,
                                            const Neighbourhood& neighbourhood, ConstBuffer input,
                                            Buffer output, OnStream after = {});
/// A plan of neighbour_alltoall() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_neighbour_alltoall(const Communicator& communicator,
                                                  const Neighbourhood& neighbourhood,
                                                  ConstBuffer input, Buffer output);

/// neighbour_alltoall() with blocks of different lengths: `send` has one block per destination,
/// `receive` one per source. Both ends of a message must give the same length. Collective. Throws
/// as neighbour_allgather(), and Error(invalid_argument) if a list has not one number per neighbour
/// or a block leaves its buffer.
CUBOID_API void neighbour_alltoallv(const Communicator& communicator,
                                    const Neighbourhood& neighbourhood, ConstBuffer input,
                                    Blocks send, Buffer output, Blocks receive);
/// neighbour_alltoallv() without waiting: returns a request; the buffers belong to it until it is
/// complete.
CUBOID_API Request start_neighbour_alltoallv(const Communicator& communicator,
                                             const Neighbourhood& neighbourhood, ConstBuffer input,
                                             Blocks send, Buffer output, Blocks receive,
                                             OnStream after = {});
/// A plan of neighbour_alltoallv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_neighbour_alltoallv(const Communicator& communicator,
                                                   const Neighbourhood& neighbourhood,
                                                   ConstBuffer input, Blocks send, Buffer output,
                                                   Blocks receive);

}  // namespace cuboid
