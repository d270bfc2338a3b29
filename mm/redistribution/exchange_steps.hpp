#pragma once

#include "mm/redistribution/intersection.hpp"

#include <cstdint>

namespace cuboid::detail {

/// A redistribution cut into steps that bound the data in flight: in each step every receiver gets
/// one window of its local rows × one window of its local columns. All ranks take the same steps.
struct ExchangeSteps {
  LocalRange<Row> rows;  ///< what the windows together cover
  LocalRange<Column> columns;
  std::int64_t window_rows = 1;  ///< extents of a window; the last may be shorter
  std::int64_t window_columns = 1;
};

/// The fewest steps: windows are halved until no rank sends or receives more than `limit` elements,
/// or windows are single elements. Columns are halved first, as whole columns are the longest runs
/// of memory. Pure; every rank computes the same.
template <class RowFrom, class ColumnFrom>
ExchangeSteps exchange_steps(const AxisTransfer<RowFrom, Row>& rows,
                             const AxisTransfer<ColumnFrom, Column>& columns, std::int64_t limit);

}  // namespace cuboid::detail
