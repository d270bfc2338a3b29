#include "mm/redistribution/exchange_steps.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// Indices of one dimension that the busiest process sends and receives in one step.
struct Load {
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

/// The receivers' local indices that a transfer touches.
template <class From, class To>
LocalRange<To> touched(const AxisTransfer<From, To>& transfer) {
  const GlobalRange<To> range = transfer.destination_range();
  LocalRange<To> all = transfer.destination.local_range(0, range);
  for (int receiver = 1; receiver < transfer.destination.processes(); ++receiver) {
    const LocalRange<To> part = transfer.destination.local_range(receiver, range);
    all = {std::min(all.begin, part.begin), std::max(all.end, part.end)};
  }
  return all;
}

/// The load when everything moves in one step.
template <class From, class To>
Load whole_load(const AxisTransfer<From, To>& transfer) {
  Load load;
  for (int sender = 0; sender < transfer.source.processes(); ++sender) {
    load.sent = std::max(load.sent, transfer.source.local_range(sender, transfer.range).extent());
  }
  for (int receiver = 0; receiver < transfer.destination.processes(); ++receiver) {
    const auto part = transfer.destination.local_range(receiver, transfer.destination_range());
    load.received = std::max(load.received, part.extent());
  }
  return load;
}

/// The load of the busiest of the steps with windows of `window` indices.
template <class From, class To>
Load window_load(const AxisTransfer<From, To>& transfer, LocalRange<To> all, std::int64_t window) {
  Load load{0, std::min(window, whole_load(transfer).received)};
  for (Local<To> begin = all.begin; begin < all.end; begin += window) {
    for (int sender = 0; sender < transfer.source.processes(); ++sender) {
      std::int64_t sent = 0;
      for (int receiver = 0; receiver < transfer.destination.processes(); ++receiver) {
        sent += extent(intersect(transfer, sender, receiver, {begin, begin + window}));
      }
      load.sent = std::max(load.sent, sent);
    }
  }
  return load;
}

/// The longest window, of those that halving leads to, whose load times the other dimension's stays
/// within the limit.
template <class From, class To>
std::int64_t longest_window(const AxisTransfer<From, To>& transfer, LocalRange<To> all, Load other,
                            std::int64_t limit) {
  // Divided, not multiplied: the product of two extents may leave 64 bits.
  const auto within = [&](const Load& load) {
    return (other.sent == 0 || load.sent <= limit / other.sent) &&
           (other.received == 0 || load.received <= limit / other.received);
  };
  std::int64_t window = std::max<std::int64_t>(all.extent(), 1);
  if (within(whole_load(transfer))) return window;
  do {
    window = (window + 1) / 2;
  } while (window > 1 && !within(window_load(transfer, all, window)));
  return window;
}

}  // namespace

template <class RowFrom, class ColumnFrom>
ExchangeSteps exchange_steps(const AxisTransfer<RowFrom, Row>& rows,
                             const AxisTransfer<ColumnFrom, Column>& columns, std::int64_t limit) {
  ExchangeSteps steps{touched(rows), touched(columns), 1, 1};
  steps.window_columns = longest_window(columns, steps.columns, whole_load(rows), limit);
  const Load columns_load = window_load(columns, steps.columns, steps.window_columns);
  steps.window_rows = longest_window(rows, steps.rows, columns_load, limit);
  return steps;
}

template ExchangeSteps exchange_steps(const AxisTransfer<Row, Row>&,
                                      const AxisTransfer<Column, Column>&, std::int64_t);
template ExchangeSteps exchange_steps(const AxisTransfer<Column, Row>&,
                                      const AxisTransfer<Row, Column>&, std::int64_t);

}  // namespace cuboid::detail
