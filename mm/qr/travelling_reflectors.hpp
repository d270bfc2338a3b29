#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/matrix/local_views.hpp"
#include "mm/qr/qr_context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A panel's reflectors that travel along a process row in one message: V of the row's ranks, and T
/// behind it.
template <MatrixElement T>
class TravellingReflectors {
 public:
  /// Changes the size. No message may be in flight.
  void resize(std::int64_t rows, std::int64_t width) {
    rows_ = rows;
    width_ = width;
    message_.resize(static_cast<std::size_t>((rows + width) * width));
  }
  LocalView<T> vectors() { return dense_view(message_.data(), rows_, width_); }
  LocalView<T> factor() { return dense_view(message_.data() + rows_ * width_, width_, width_); }

  void start(const Communicator& row, int root) { comes_ = start_broadcast(row, message_, root); }
  void wait() { comes_.wait(); }
  bool in_flight() { return !comes_.test(); }

 private:
  std::int64_t rows_ = 0, width_ = 0;
  std::vector<T> message_;
  Request comes_;
};

/// The reflectors of successive panels: one panel's are in use while the next travel.
template <MatrixElement T>
class ReflectorStream {
 public:
  explicit ReflectorStream(QrContext<T>& qr) : qr_(qr) {}

  /// Starts to send a panel's reflectors. `make` writes them on the panel's process column.
  template <class Make>
  void send(const PanelStep& step, const Make& make) {
    TravellingReflectors<T>& next = place_of(step);
    next.resize(qr_.rows_left(step).length(), step.width());
    if (qr_.in_column(step)) make(next);
    const QrMeter<T> meter(qr_, &QrSeconds::multicast, &QrCommunication::multicast);
    next.start(qr_.grid.row(), step.column);
    newest_ = &next;
  }

  /// Waits for the reflectors of a panel that have been sent.
  TravellingReflectors<T>& take(const PanelStep& step) {
    const QrMeter<T> meter(qr_, &QrSeconds::multicast, &QrCommunication::multicast);
    place_of(step).wait();
    return place_of(step);
  }

  bool in_flight() const { return newest_ != nullptr && newest_->in_flight(); }

 private:
  TravellingReflectors<T>& place_of(const PanelStep& step) {
    return places_[static_cast<std::size_t>(step.index % 2)];
  }

  QrContext<T>& qr_;
  std::array<TravellingReflectors<T>, 2> places_;
  TravellingReflectors<T>* newest_ = nullptr;
};

}  // namespace cuboid::detail
