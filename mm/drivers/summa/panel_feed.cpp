#include "mm/drivers/summa/panel_feed.hpp"

#include "base/stopwatch.hpp"
#include "mm/drivers/summa/line_broadcasts.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cuboid::detail {

namespace {

/// The width of the widest panel of at least `least_ranges` ranges; 0 if there is none.
std::int64_t widest(std::span<const PanelRanges> panels, std::size_t least_ranges) {
  std::int64_t width = 0;
  for (const PanelRanges& panel : panels) {
    if (panel.size() >= least_ranges) width = std::max(width, extent_of(panel));
  }
  return width;
}

/// Every rank stores its panels already. A panel of several ranges is copied into one tall panel.
template <MatrixElement T>
class InPlaceFeed : public PanelFeed<T> {
 public:
  /// @param width  width of the widest panel of several ranges.
  InPlaceFeed(std::int64_t vectors, std::int64_t width, const PanelPlace& place, int ahead)
      : vectors_(vectors),
        place_(place),
        memory_(place.memory<T>(vectors * width, "a panel of SUMMA")),
        slots_(static_cast<std::size_t>(ahead) + 1) {}

  void start(std::int64_t step, std::span<const GlobalRange<Inner>> panel,
             const TallOperand<T>& operand) override {
    Slot& slot = slots_[static_cast<std::size_t>(step) % slots_.size()];
    slot.parts.clear();
    slot.op = panel.size() > 1 ? operand.panel_op : operand.in_place_op;
    // One rank has all of the inner dimension: local and global indices are the same.
    for (const auto& range : panel) {
      slot.parts.push_back(operand.local_block(Local<Inner>(range.begin.value), range.extent()));
    }
    slot.packing_op = operand.packing_op;
  }
  void progress() override {}
  bool in_flight() const override { return false; }

  Panel<T> finish(std::int64_t step) override {
    const Slot& slot = slots_[static_cast<std::size_t>(step) % slots_.size()];
    if (slot.parts.size() > 1) return put_together(slot);
    const LocalView<const T>& block = slot.parts.front();
    return {block.data, block.leading_dimension, slot.op};
  }

  void abandon() noexcept override {}

 private:
  /// A panel's ranges, where they are stored.
  struct Slot {
    std::vector<LocalView<const T>> parts;
    Op op = Op::none;
    Op packing_op = Op::none;
  };

  Panel<T> put_together(const Slot& slot) {
    const Stopwatch watch(this->seconds_.broadcast);
    const std::int64_t rows = std::max<std::int64_t>(vectors_, 1);
    T* columns = memory_.data();
    for (const LocalView<const T>& part : slot.parts) {
      const std::int64_t width = slot.packing_op == Op::none ? part.columns : part.rows;
      place_.copy<T>(slot.packing_op, part, {columns, vectors_, width, rows});
      columns += vectors_ * width;
    }
    return {memory_.data(), rows, slot.op};
  }

  std::int64_t vectors_;
  PanelPlace place_;
  PanelMemory<T> memory_;
  std::vector<Slot> slots_;
};

/// Buffers for tall panels and the broadcasts that fill them.
template <MatrixElement T>
class BufferedFeed : public PanelFeed<T> {
 public:
  BufferedFeed(const Communicator& line, std::int64_t vectors, std::int64_t panel_width,
               const PanelPlace& place, int ahead)
      : line_(line),
        vectors_(vectors),
        place_(place),
        slots_(static_cast<std::size_t>(ahead) + 1),
        broadcasts_(line, datatype_of<T>()) {
    for (Slot& slot : slots_) {
      slot.memory = place.memory<T>(vectors * panel_width, "a panel of SUMMA");
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

  void abandon() noexcept override {
    for (Slot& slot : slots_) slot.broadcasts.clear();
  }

 protected:
  struct Slot {
    PanelMemory<T> memory;
    std::vector<Request> broadcasts;
    Panel<T> panel;  // in `memory`, or in the owner's part of the operand
  };

  Slot& slot_of(std::int64_t step) { return slots_[slot_number(step)]; }

  /// A tall panel in the slot's memory.
  Panel<T> tall_panel(const Slot& slot, const TallOperand<T>& operand) const {
    return {slot.memory.data(), std::max<std::int64_t>(vectors_, 1), operand.panel_op};
  }

  /// Plans a broadcast of the elements of all vectors for `width` inner indices, the `number`-th of
  /// the `all` broadcasts of a step. Returns the index that send_to_line() expects.
  std::size_t plan_sending(std::int64_t step, std::size_t number, std::size_t all,
                           std::int64_t width, int root) {
    if (!sends()) return 0;
    slot_of(step).broadcasts.reserve(all);
    return broadcasts_.add(number * slots_.size() + slot_number(step), all * slots_.size(),
                           static_cast<std::size_t>(vectors_ * width), root);
  }

  /// Sends elements that are contiguous on every rank.
  void send_to_line(Slot& slot, std::size_t broadcast, T* elements) {
    if (sends()) slot.broadcasts.push_back(broadcasts_.start(broadcast, elements));
  }

  Communicator line_;
  std::int64_t vectors_;  // the number of vectors on this rank
  PanelPlace place_;

 private:
  bool sends() const { return line_.valid() && line_.size() > 1 && vectors_ > 0; }
  std::size_t slot_number(std::int64_t step) const {
    return static_cast<std::size_t>(step) % slots_.size();
  }

  std::vector<Slot> slots_;
  LineBroadcasts broadcasts_;
};

/// The owners of a panel broadcast it. A panel with one owner travels in its stored layout, and
/// without a copy if it is contiguous. Pieces of several owners are assembled in a tall panel,
/// where each piece is contiguous.
template <MatrixElement T>
class BroadcastFeed : public BufferedFeed<T> {
  using typename BufferedFeed<T>::Slot;

 public:
  BroadcastFeed(const BlockCyclic<Inner>& inner, const Communicator& line, std::int64_t vectors,
                std::span<const PanelRanges> panels, const PanelPlace& place, int ahead)
      : BufferedFeed<T>(line, vectors, widest(panels, 1), place, ahead) {
    for (const PanelRanges& panel : panels) {
      const auto step = std::ssize(sendings_);
      const std::vector<PanelPiece> pieces = panel_pieces(inner, panel);
      std::vector<Sending> sendings;
      for (const PanelPiece& piece : pieces) {
        sendings.push_back({piece, this->plan_sending(step, sendings.size(), pieces.size(),
                                                      piece.range.extent(), piece.owner)});
      }
      sendings_.push_back(std::move(sendings));
    }
  }

  void start(std::int64_t step, std::span<const GlobalRange<Inner>>,
             const TallOperand<T>& operand) override {
    const Stopwatch watch(this->seconds_.broadcast);
    Slot& slot = this->slot_of(step);
    const auto& sendings = sendings_[static_cast<std::size_t>(step)];
    if (sendings.size() == 1) {
      send_as_stored(slot, sendings.front(), operand);
      return;
    }
    slot.panel = this->tall_panel(slot, operand);
    std::int64_t begin = 0;
    for (const Sending& sending : sendings) {
      send_as_columns(slot, sending, begin * this->vectors_, operand);
      begin += sending.piece.range.extent();
    }
  }

 private:
  struct Sending {
    PanelPiece piece;
    std::size_t broadcast;
  };

  void send_as_stored(Slot& slot, const Sending& sending, const TallOperand<T>& operand) {
    const PanelPiece& piece = sending.piece;
    const std::int64_t width = piece.range.extent();
    const std::int64_t rows = operand.tall ? this->vectors_ : width;
    const Op op = operand.in_place_op;
    T* elements = slot.memory.data();
    if (piece.owner == this->line_.rank()) {
      const LocalView<const T> block = operand.local_block(piece.local, width);
      slot.panel = {block.data, block.leading_dimension, op};
      if (block.leading_dimension == block.rows) {
        // A broadcast only reads the root's elements, although its parameter is a pointer to
        // mutable elements.
        elements = const_cast<T*>(block.data);
      } else {
        this->place_.template copy<T>(Op::none, block,
                                      {elements, block.rows, block.columns, block.rows});
      }
    } else {
      slot.panel = {elements, std::max<std::int64_t>(rows, 1), op};
    }
    this->send_to_line(slot, sending.broadcast, elements);
  }

  /// @param offset  the first column of the piece in the tall panel.
  void send_as_columns(Slot& slot, const Sending& sending, std::int64_t offset,
                       const TallOperand<T>& operand) {
    const PanelPiece& piece = sending.piece;
    const std::int64_t width = piece.range.extent();
    T* const columns = slot.memory.data() + offset;
    if (piece.owner == this->line_.rank()) {
      this->place_.template copy<T>(operand.packing_op, operand.local_block(piece.local, width),
                                    dense_view(columns, this->vectors_, width));
    }
    this->send_to_line(slot, sending.broadcast, columns);
  }

  std::vector<std::vector<Sending>> sendings_;  // by step
};

/// Panels whose layout does not fit are redistributed to the ranks of the line in turn, and each of
/// these ranks broadcasts its panel along the line.
template <MatrixElement T>
class RedistributeFeed : public BufferedFeed<T> {
  using typename BufferedFeed<T>::Slot;

 public:
  RedistributeFeed(const PanelTarget& target, const Communicator& line, std::int64_t vectors,
                   std::span<const PanelRanges> panels, const PanelPlace& place, int ahead)
      : BufferedFeed<T>(line, vectors, widest(panels, 1), place, ahead), target_(target) {
    for (const PanelRanges& panel : panels) {
      const auto step = std::ssize(broadcasts_);
      broadcasts_.push_back(this->plan_sending(step, 0, 1, panel.front().extent(), owner_of(step)));
    }
  }

  void start(std::int64_t step, std::span<const GlobalRange<Inner>> panel,
             const TallOperand<T>& operand) override {
    Slot& slot = this->slot_of(step);
    slot.panel = this->tall_panel(slot, operand);
    redistribute_to(owner_of(step), panel.front(), slot.memory.data(), operand);
    if (!this->line_.valid()) return;
    const Stopwatch watch(this->seconds_.broadcast);
    this->send_to_line(slot, broadcasts_[static_cast<std::size_t>(step)], slot.memory.data());
  }

 private:
  int owner_of(std::int64_t step) const { return static_cast<int>(step % target_.grid.columns()); }

  void redistribute_to(int owner, GlobalRange<Inner> panel, T* memory,
                       const TallOperand<T>& operand) {
    const Stopwatch watch(this->seconds_.redistribute);
    const std::int64_t width = panel.extent();
    const BlockCyclic<Column> one_owner(width, width, target_.grid.columns(), owner);
    const Layout layout(target_.vectors, one_owner, target_.grid);
    const Matrix<T>& stored = operand.stored;
    auto destination = Matrix<T>::wrap(stored.communicator(), layout, memory,
                                       std::max<std::int64_t>(this->vectors_, 1));
    redistribute(operand.packing_op, MatrixView<T>::of(stored, operand.stored_block(panel)),
                 destination);
  }

  PanelTarget target_;
  std::vector<std::size_t> broadcasts_;  // by step
};

}  // namespace

template <MatrixElement T>
std::unique_ptr<PanelFeed<T>> make_panel_feed(Delivery delivery, const Layout& tall_layout,
                                              const PanelTarget& target, const Communicator& line,
                                              std::optional<GridPosition> here,
                                              std::span<const PanelRanges> panels,
                                              const PanelPlace& place, int ahead) {
  const std::int64_t vectors = here ? target.vectors.local_extent(here->row) : 0;
  if (delivery == Delivery::in_place || (delivery == Delivery::broadcast && !line.valid())) {
    return std::make_unique<InPlaceFeed<T>>(vectors, widest(panels, 2), place, ahead);
  }
  if (delivery == Delivery::broadcast) {
    return std::make_unique<BroadcastFeed<T>>(tall_layout.columns().as<Inner>(), line, vectors,
                                              panels, place, ahead);
  }
  return std::make_unique<RedistributeFeed<T>>(target, line, vectors, panels, place, ahead);
}

#define CUBOID_INSTANTIATE(T)                                           \
  template std::unique_ptr<PanelFeed<T>> make_panel_feed(               \
      Delivery, const Layout&, const PanelTarget&, const Communicator&, \
      std::optional<GridPosition>, std::span<const PanelRanges>, const PanelPlace&, int)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
