#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/window.hpp>

#include "mm/drivers/bricks/brick_schedule.hpp"
#include "mm/drivers/bricks/face_exchange.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The one-sided exchange (Kwasniewski et al. 2019, §7.4). Every rank exposes its share in a
/// window. The other ranks get the columns that they lack from it without its help. The share of a
/// rank on the same node is not copied if its memory can be read directly.
template <MatrixElement T>
class FaceFetch : public FaceExchange<T> {
 public:
  /// @param sharers  the ranks that share the face, numbered by share.
  /// The constructor is collective over these ranks. Throws Error(out_of_memory) on all of them if
  /// a rank lacks memory.
  FaceFetch(const Communicator& sharers, FaceRounds rounds);

  LocalView<T> own(std::size_t step) const override;
  bool takes_all_rounds_first() const override { return true; }
  void open() override { window_.fence(); }
  void close() override { window_.fence(); }
  void start(std::size_t step) override;
  bool progress() override;
  std::span<const FacePiece<T>> finish() override;

 private:
  /// The first element of a rank's share of a round in its window.
  std::int64_t offset(int share, std::size_t round) const;

  Communicator sharers_;
  FaceRounds rounds_;
  std::vector<AlignedArray<T>> panels_;  // empty if all shares can be read directly
  Window window_;                        // destroyed before `panels_`, to which its gets write
  bool in_flight_ = false;
  std::vector<FacePiece<T>> pieces_;
};

}  // namespace cuboid::detail
