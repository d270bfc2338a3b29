#include "mm/drivers/srumma/shared_operand.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
SharedOperand<T>::SharedOperand(const Communicator& line, std::vector<int> ranks,
                                OperandPieces pieces, SharedBlocks shared)
    : line_(line),
      ranks_(std::move(ranks)),
      pieces_(std::move(pieces)),
      shared_(shared),
      parts_(ranks_.size()),
      direct_(ranks_.size()),
      owned_(ranks_.size()),
      fetched_(pieces_.pieces.size()) {
  for (std::size_t piece = 0; piece < pieces_.pieces.size(); ++piece) {
    std::int64_t& before = owned_[as_size(pieces_.pieces[piece].owner)];
    offsets_.push_back(before);
    before += elements(piece);
  }
}

template <MatrixElement T>
void SharedOperand<T>::prepare(bool readable_on_node) {
  in_place_ = readable_on_node && on_one_node(line_) && shared_ == SharedBlocks::in_place;
  window_.reset();
  if (!in_place_ && line_.size() > 1) {
    window_.emplace(line_,
                    checked_bytes(owned_[as_size(line_.rank())], sizeof(T), "a shared operand"));
  }
  for (int owner = 0; owner < line_.size(); ++owner) {
    direct_[as_size(owner)] =
        in_place_ || owner == line_.rank() || owned_[as_size(owner)] == 0 ||
        (shared_ == SharedBlocks::in_place && !window_->direct(owner).empty());
  }
}

template <MatrixElement T>
void SharedOperand<T>::allocate(std::size_t pieces_at_once) {
  std::int64_t largest = 0;
  for (std::size_t piece = 0; piece < pieces_.pieces.size(); ++piece) {
    if (!direct(pieces_.pieces[piece].owner)) largest = std::max(largest, elements(piece));
  }
  buffers_.clear();
  while (buffers_.size() < pieces_at_once) buffers_.emplace_back(largest, "a block of an operand");
  free_.reserve(pieces_at_once);
}

template <MatrixElement T>
bool SharedOperand<T>::all_direct() const {
  return std::find(direct_.begin(), direct_.end(), false) == direct_.end();
}

template <MatrixElement T>
void SharedOperand<T>::open(const Matrix<T>& stored) {
  own_ = stored.local();
  free_.clear();
  for (AlignedArray<T>& buffer : buffers_) free_.push_back(buffer.data());
  if (in_place_) {
    for (int owner = 0; owner < line_.size(); ++owner) {
      const int rank = ranks_[as_size(owner)];
      parts_[as_size(owner)] = {stored.part(rank),
                                std::max<std::int64_t>(stored.layout().local_rows(rank), 1)};
    }
    barrier(line_);
  }
  if (!window_) return;
  T* const shown = reinterpret_cast<T*>(window_->local().data());
  for (std::size_t piece = 0; piece < pieces_.pieces.size(); ++piece) {
    const auto& [owner, begin, extent] = pieces_.pieces[piece];
    if (owner != line_.rank()) continue;
    const LocalView<const T> from = pieces_.tall ? own_.block(0, begin, pieces_.vectors, extent)
                                                 : own_.block(begin, 0, extent, pieces_.vectors);
    // Each piece lies in one run, so that it takes one message.
    copy(from, LocalView<T>{shown + offsets_[piece], from.rows, from.columns,
                            std::max<std::int64_t>(from.rows, 1)});
    bytes_copied_ += static_cast<std::uint64_t>(elements(piece)) * sizeof(T);
  }
  window_->fence();
}

template <MatrixElement T>
void SharedOperand<T>::fetch(std::size_t piece) {
  const int owner = pieces_.pieces[piece].owner;
  if (direct(owner)) return;
  T* const buffer = free_.back();
  free_.pop_back();
  const auto bytes =
      std::as_writable_bytes(std::span(buffer, static_cast<std::size_t>(elements(piece))));
  fetched_[piece] = {
      buffer, window_->get(bytes, owner, static_cast<std::size_t>(offsets_[piece]) * sizeof(T))};
}

template <MatrixElement T>
void SharedOperand<T>::progress() {
  if (window_) window_->test();
}

template <MatrixElement T>
void SharedOperand<T>::arrive(std::size_t piece) {
  if (!direct(pieces_.pieces[piece].owner)) window_->wait(fetched_[piece].get);
}

template <MatrixElement T>
bool SharedOperand<T>::has_arrived(std::size_t piece) {
  return direct(pieces_.pieces[piece].owner) || window_->test(fetched_[piece].get);
}

template <MatrixElement T>
void SharedOperand<T>::release(std::size_t piece) {
  if (!direct(pieces_.pieces[piece].owner)) free_.push_back(fetched_[piece].data);
}

template <MatrixElement T>
const T* SharedOperand<T>::piece_of(const SharedPart& part, std::size_t piece) const {
  const std::int64_t begin = pieces_.pieces[piece].begin;
  if (part.data == nullptr) return nullptr;  // a rank without elements
  return part.data + (pieces_.tall ? begin * part.leading_dimension : begin);
}

template <MatrixElement T>
Panel<T> SharedOperand<T>::panel(std::size_t piece) const {
  const auto& [owner, begin, extent] = pieces_.pieces[piece];
  if (in_place_ || owner == line_.rank()) {
    const SharedPart part = owner == line_.rank() ? SharedPart{own_.data, own_.leading_dimension}
                                                  : parts_[as_size(owner)];
    return {piece_of(part, piece), part.leading_dimension, pieces_.op};
  }
  const T* data = nullptr;
  if (!direct(owner)) {
    data = fetched_[piece].data;
  } else if (pieces_.vectors > 0) {
    data = reinterpret_cast<const T*>(window_->direct(owner).data()) + offsets_[piece];
  }
  return {data, std::max<std::int64_t>(pieces_.tall ? pieces_.vectors : extent, 1), pieces_.op};
}

template <MatrixElement T>
void SharedOperand<T>::close() {
  if (in_place_) barrier(line_);
  if (window_) window_->fence();
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SharedOperand);

}  // namespace cuboid::detail
