#include <cuboid/collectives/broadcast.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/panel_feed.hpp>
#include <cuboid/mm/stopwatch.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cuboid {

namespace {

/// Every rank has its panels already.
template <MatrixElement T>
class InPlaceFeed : public PanelFeed<T> {
 public:
  explicit InPlaceFeed(const TallOperand<T>& operand) : operand_(operand) {}

  void start(std::int64_t step, GlobalRange<Inner> panel) override {
    panels_[static_cast<std::size_t>(step % 2)] = panel;
  }
  void progress() override {}
  bool in_flight() const override { return false; }

  Panel<T> finish(std::int64_t step) override {
    const GlobalRange<Inner> panel = panels_[static_cast<std::size_t>(step % 2)];
    // One rank has all of the inner dimension: local and global indices are the same.
    const Local<Inner> begin(panel.begin.value);
    const LocalView<const T> block = operand_.local_block(begin, panel.extent());
    return {block.data, block.leading_dimension, operand_.in_place_op};
  }

 private:
  TallOperand<T> operand_;
  std::array<GlobalRange<Inner>, 2> panels_;
};

/// Two buffers for tall panels and the broadcasts that fill them.
template <MatrixElement T>
class BufferedFeed : public PanelFeed<T> {
 public:
  BufferedFeed(const TallOperand<T>& operand, const Communicator& line, std::int64_t slices,
               std::int64_t panel_width)
      : operand_(operand), line_(line), slices_(slices) {
    for (Slot& slot : slots_) {
      slot.memory = AlignedArray<T>(slices * panel_width, "a panel of SUMMA");
    }
  }

  void progress() override {
    for (Slot& slot : slots_) {
      std::erase_if(slot.broadcasts, [](Request& broadcast) { return broadcast.test(); });
    }
  }

  bool in_flight() const override {
    return std::ranges::any_of(slots_, [](const Slot& slot) { return !slot.broadcasts.empty(); });
  }

  Panel<T> finish(std::int64_t step) override {
    const Stopwatch watch(this->seconds_.broadcast);
    Slot& slot = slot_of(step);
    for (Request& broadcast : slot.broadcasts) broadcast.wait();
    slot.broadcasts.clear();
    return slot.panel;
  }

 protected:
  struct Slot {
    AlignedArray<T> memory;
    std::vector<Request> broadcasts;
    Panel<T> panel;  // in `memory`, or in the owner's part of the operand
  };

  Slot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step % 2)]; }

  /// A tall panel in the slot's memory.
  Panel<T> tall_panel(const Slot& slot) const {
    return {slot.memory.data(), std::max<std::int64_t>(slices_, 1), operand_.panel_op};
  }

  /// Sends the elements of all slices for `width` inner indices to the line, contiguous on every
  /// rank.
  void send_to_line(Slot& slot, T* elements, std::int64_t width, int root) {
    if (line_.size() == 1 || slices_ == 0) return;
    const auto count = static_cast<std::size_t>(slices_ * width);
    slot.broadcasts.push_back(start_broadcast(line_, {elements, count, datatype_of<T>()}, root));
  }

  TallOperand<T> operand_;
  Communicator line_;
  std::int64_t slices_;  // this rank's

 private:
  std::array<Slot, 2> slots_;
};

/// The owners of a panel broadcast it. A panel that one rank owns travels as it is stored, from
/// where it lies if that is contiguous; pieces of several owners are put together as a tall panel,
/// where each is contiguous.
template <MatrixElement T>
class BroadcastFeed : public BufferedFeed<T> {
  using typename BufferedFeed<T>::Slot;

 public:
  BroadcastFeed(const TallOperand<T>& operand, const Communicator& line, std::int64_t slices,
                std::int64_t panel_width)
      : BufferedFeed<T>(operand, line, slices, panel_width),
        inner_(operand.layout().columns().template as<Inner>()) {}

  void start(std::int64_t step, GlobalRange<Inner> panel) override {
    const Stopwatch watch(this->seconds_.broadcast);
    Slot& slot = this->slot_of(step);
    const auto pieces = panel_pieces(inner_, panel);
    if (pieces.size() == 1) {
      send_as_stored(slot, pieces.front());
      return;
    }
    slot.panel = this->tall_panel(slot);
    for (const PanelPiece& piece : pieces) {
      send_as_columns(slot, piece, (piece.range.begin - panel.begin) * this->slices_);
    }
  }

 private:
  void send_as_stored(Slot& slot, const PanelPiece& piece) {
    const std::int64_t width = piece.range.extent();
    const std::int64_t rows = this->operand_.tall ? this->slices_ : width;
    const Op op = this->operand_.in_place_op;
    T* elements = slot.memory.data();
    if (piece.owner == this->line_.rank()) {
      const LocalView<const T> block = this->operand_.local_block(piece.local, width);
      slot.panel = {block.data, block.leading_dimension, op};
      if (block.leading_dimension == block.rows) {
        // A broadcast only reads the root's elements, though its buffer is of the writable kind.
        elements = const_cast<T*>(block.data);
      } else {
        copy(block, LocalView<T>{elements, block.rows, block.columns, block.rows});
      }
    } else {
      slot.panel = {elements, std::max<std::int64_t>(rows, 1), op};
    }
    this->send_to_line(slot, elements, width, piece.owner);
  }

  /// @param offset  where the piece's columns begin in the tall panel.
  void send_as_columns(Slot& slot, const PanelPiece& piece, std::int64_t offset) {
    const std::int64_t width = piece.range.extent();
    T* const columns = slot.memory.data() + offset;
    if (piece.owner == this->line_.rank()) {
      copy(this->operand_.packing_op, this->operand_.local_block(piece.local, width),
           LocalView<T>{columns, this->slices_, width, std::max<std::int64_t>(this->slices_, 1)});
    }
    this->send_to_line(slot, columns, width, piece.owner);
  }

  BlockCyclic<Inner> inner_;
};

/// Panels whose layout does not fit go to the ranks of the line by turns, and from there to the
/// whole line.
template <MatrixElement T>
class RedistributeFeed : public BufferedFeed<T> {
  using typename BufferedFeed<T>::Slot;

 public:
  RedistributeFeed(const TallOperand<T>& operand, const PanelTarget& target,
                   const Communicator& line, std::int64_t slices, std::int64_t panel_width)
      : BufferedFeed<T>(operand, line, slices, panel_width), target_(target) {}

  void start(std::int64_t step, GlobalRange<Inner> panel) override {
    Slot& slot = this->slot_of(step);
    slot.panel = this->tall_panel(slot);
    const int owner = static_cast<int>(step % target_.grid.columns());
    redistribute_to(owner, panel, slot.memory.data());
    if (!this->line_.valid()) return;
    const Stopwatch watch(this->seconds_.broadcast);
    this->send_to_line(slot, slot.memory.data(), panel.extent(), owner);
  }

 private:
  void redistribute_to(int owner, GlobalRange<Inner> panel, T* memory) {
    const Stopwatch watch(this->seconds_.redistribute);
    const std::int64_t width = panel.extent();
    const BlockCyclic<Column> one_owner(width, width, target_.grid.columns(), owner);
    const Layout layout(target_.slices, one_owner, target_.grid);
    const Matrix<T>& stored = this->operand_.stored;
    auto destination = Matrix<T>::wrap(stored.communicator(), layout, memory,
                                       std::max<std::int64_t>(this->slices_, 1));
    redistribute(this->operand_.packing_op, stored, this->operand_.stored_block(panel), destination,
                 Global<Row>(0), Global<Column>(0));
  }

  PanelTarget target_;
};

}  // namespace

Delivery choose_delivery(const Layout& tall_layout, const PanelTarget& target,
                         std::int64_t panel_width) {
  constexpr std::int64_t most_pieces =
      8;  // broadcasts per panel; more, and latency outweighs an exchange
  const bool fits = tall_layout.grid() == target.grid && tall_layout.rows() == target.slices;
  if (!fits) return Delivery::redistribute;
  if (target.grid.columns() == 1) return Delivery::in_place;
  const std::int64_t shortest_panel = std::min(panel_width, tall_layout.n());
  return tall_layout.columns().block() >= shortest_panel / most_pieces ? Delivery::broadcast
                                                                       : Delivery::redistribute;
}

template <MatrixElement T>
std::unique_ptr<PanelFeed<T>> make_panel_feed(const TallOperand<T>& operand,
                                              const PanelTarget& target, const Communicator& line,
                                              std::int64_t panel_width) {
  const Delivery delivery = choose_delivery(operand.layout(), target, panel_width);
  if (delivery == Delivery::in_place || (delivery == Delivery::broadcast && !line.valid())) {
    return std::make_unique<InPlaceFeed<T>>(operand);
  }
  const auto here = target.grid.position(operand.stored.communicator().rank());
  const std::int64_t slices = here ? target.slices.local_extent(here->row) : 0;
  if (delivery == Delivery::broadcast) {
    return std::make_unique<BroadcastFeed<T>>(operand, line, slices, panel_width);
  }
  return std::make_unique<RedistributeFeed<T>>(operand, target, line, slices, panel_width);
}

#define CUBOID_INSTANTIATE(T)                             \
  template std::unique_ptr<PanelFeed<T>> make_panel_feed( \
      const TallOperand<T>&, const PanelTarget&, const Communicator&, std::int64_t)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
