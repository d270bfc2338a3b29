#include "mm/drivers/bricks/face_fetch.hpp"

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
FaceFetch<T>::FaceFetch(const Communicator& sharers, FaceRounds rounds)
    : sharers_(sharers),
      rounds_(std::move(rounds)),
      window_(sharers, checked_bytes(offset(sharers.rank(), rounds_.rounds.size()), sizeof(T),
                                     "a share of a brick's face")) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_.rounds) {
    std::int64_t fetched = 0;
    for (int share = 0; share < sharers.size(); ++share) {
      if (window_.direct(share).empty()) fetched += round.rows * round.columns[as_size(share)];
    }
    largest = std::max(largest, fetched);
  }
  const std::size_t copies = rounds_.by_step.size() > 1 ? 2 : 1;
  collective_try(sharers, [&] {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      panels_.emplace_back(largest, "a panel of a brick's face");
    }
  });
  pieces_.reserve(as_size(sharers.size()));
}

template <MatrixElement T>
std::int64_t FaceFetch<T>::offset(int share, std::size_t round) const {
  std::int64_t elements = 0;
  for (std::size_t earlier = 0; earlier < round; ++earlier) {
    const FaceRound& face = rounds_.rounds[earlier];
    elements += face.rows * face.columns[as_size(share)];
  }
  return elements;
}

template <MatrixElement T>
LocalView<T> FaceFetch<T>::own(std::size_t step) const {
  const int share = sharers_.rank();
  const FaceRound& face = rounds_.at(step);
  // A window's memory begins at a page.
  T* const memory = reinterpret_cast<T*>(window_.local().data());
  return dense_view(memory + offset(share, rounds_.by_step[step]), face.rows,
                    face.columns[as_size(share)]);
}

template <MatrixElement T>
void FaceFetch<T>::start(std::size_t step) {
  const FaceRound& face = rounds_.at(step);
  T* fetched = panels_[step % panels_.size()].data();
  pieces_.clear();
  std::int64_t column = 0;
  for (int share = 0; share < sharers_.size(); ++share) {
    const std::int64_t columns = face.columns[as_size(share)];
    const std::int64_t begin = offset(share, rounds_.by_step[step]);
    const std::span<std::byte> direct = window_.direct(share);
    const T* piece = fetched;
    if (face.rows * columns == 0) {
      piece = nullptr;
    } else if (direct.empty()) {
      const std::span<T> place(fetched, static_cast<std::size_t>(face.rows * columns));
      window_.get(std::as_writable_bytes(place), share,
                  static_cast<std::size_t>(begin) * sizeof(T));
      fetched += place.size();
      in_flight_ = true;
    } else {
      piece = reinterpret_cast<const T*>(direct.data()) + begin;
    }
    pieces_.push_back({column, dense_view(piece, face.rows, columns)});
    column += columns;
  }
}

template <MatrixElement T>
bool FaceFetch<T>::progress() {
  if (in_flight_) in_flight_ = !window_.test();
  return in_flight_;
}

template <MatrixElement T>
std::span<const FacePiece<T>> FaceFetch<T>::finish() {
  if (in_flight_) window_.flush();
  in_flight_ = false;
  return pieces_;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(FaceFetch);

}  // namespace cuboid::detail
