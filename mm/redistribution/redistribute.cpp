#include <cuboid/alltoall.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/overlap.hpp"
#include "mm/matrix/same_communicator.hpp"
#include "mm/redistribution/exchange_steps.hpp"
#include "mm/redistribution/intersection.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

template <class Dimension>
int along(GridPosition position) {
  return std::is_same_v<Dimension, Row> ? position.row : position.column;
}

template <class Dimension>
const BlockCyclic<Dimension>& distribution_along(const Layout& layout) {
  if constexpr (std::is_same_v<Dimension, Row>) {
    return layout.rows();
  } else {
    return layout.columns();
  }
}

template <class From, class To>
using Runs = std::vector<SharedRun<From, To>>;

/// The messages that one rank sends, or receives, in one step. A message holds the rows × columns
/// that two ranks share as a dense column-major matrix in the destination's orientation.
template <class RowFrom, class ColumnFrom>
struct Messages {
  std::vector<Runs<RowFrom, Row>> rows;           ///< by the peer's process index along rows
  std::vector<Runs<ColumnFrom, Column>> columns;  ///< by the peer's process index along columns
  std::vector<std::size_t> counts;  ///< elements by rank, one message behind the other
};

/// Calls place(row run, column run, where the block of both begins in the message) for each block
/// of a message.
template <class RowFrom, class ColumnFrom, class Place>
void for_each_block(const Runs<RowFrom, Row>& rows, const Runs<ColumnFrom, Column>& columns,
                    const Place& place) {
  std::int64_t message_column = 0;
  for (const auto& column : columns) {
    std::int64_t message_row = 0;
    for (const auto& row : rows) {
      place(row, column, message_row, message_column);
      message_row += row.extent;
    }
    message_column += column.extent;
  }
}

template <class From, class To>
std::vector<std::int64_t> extents(const std::vector<Runs<From, To>>& lists) {
  std::vector<std::int64_t> sums;
  for (const auto& runs : lists) sums.push_back(extent(runs));
  return sums;
}

/// One redistribution. The source's dimension RowFrom becomes the destination's rows, ColumnFrom
/// its columns: (Row, Column) as it is, (Column, Row) transposed.
template <MatrixElement T, class RowFrom, class ColumnFrom>
class Redistribution {
 public:
  Redistribution(T alpha, Op op, const Matrix<T>& source, T beta, Matrix<T>& destination)
      : alpha_(alpha),
        op_(op),
        source_(source),
        beta_(beta),
        destination_(destination),
        rows_{distribution_along<RowFrom>(source.layout()), destination.layout().rows(),
              distribution_along<RowFrom>(source.layout()).all(), Global<Row>(0)},
        columns_{distribution_along<ColumnFrom>(source.layout()), destination.layout().columns(),
                 distribution_along<ColumnFrom>(source.layout()).all(), Global<Column>(0)} {}

  void run(std::int64_t exchange_bytes) {
    // Steps of single elements still send one to every rank.
    const std::int64_t limit = std::max<std::int64_t>(
        exchange_bytes / static_cast<std::int64_t>(sizeof(T)), source_.communicator().size());
    const ExchangeSteps steps = exchange_steps(rows_, columns_, limit);
    const auto buffers = collective_try(source_.communicator(), [&] {
      const std::string_view purpose = "the messages of a redistribution";
      return std::pair(AlignedArray<T>(std::min(limit, elements_to_send()), purpose),
                       AlignedArray<T>(std::min(limit, elements_to_receive()), purpose));
    });
    for (auto j = steps.columns.begin; j < steps.columns.end; j += steps.window_columns) {
      for (auto i = steps.rows.begin; i < steps.rows.end; i += steps.window_rows) {
        step({i, i + steps.window_rows}, {j, j + steps.window_columns}, buffers.first.data(),
             buffers.second.data());
      }
    }
  }

 private:
  void step(LocalRange<Row> row_window, LocalRange<Column> column_window, T* to_send, T* received) {
    const auto outgoing = messages_out(row_window, column_window);
    const auto incoming = messages_in(row_window, column_window);
    pack(outgoing, to_send);
    const auto elements = [](const std::vector<std::size_t>& counts) {
      return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    };
    const std::span<const T> send_buffer(to_send, elements(outgoing.counts));
    const std::span<T> receive_buffer(received, elements(incoming.counts));
    Request exchange = start_alltoallv(source_.communicator(), send_buffer, Blocks{outgoing.counts},
                                       receive_buffer, Blocks{incoming.counts});
    keep(row_window, column_window);
    exchange.wait();
    unpack(incoming, received);
  }

  Messages<RowFrom, ColumnFrom> messages_out(LocalRange<Row> row_window,
                                             LocalRange<Column> column_window) const {
    Messages<RowFrom, ColumnFrom> messages;
    const GridShape& grid = destination_.layout().grid();
    if (const auto here = source_.position()) {
      for (int row = 0; row < grid.rows(); ++row) {
        messages.rows.push_back(intersect(rows_, along<RowFrom>(*here), row, row_window));
      }
      for (int column = 0; column < grid.columns(); ++column) {
        messages.columns.push_back(
            intersect(columns_, along<ColumnFrom>(*here), column, column_window));
      }
    }
    count(messages, grid, destination_processes);
    return messages;
  }

  Messages<RowFrom, ColumnFrom> messages_in(LocalRange<Row> row_window,
                                            LocalRange<Column> column_window) const {
    Messages<RowFrom, ColumnFrom> messages;
    if (const auto here = destination_.position()) {
      for (int sender = 0; sender < rows_.source.processes(); ++sender) {
        messages.rows.push_back(intersect(rows_, sender, here->row, row_window));
      }
      for (int sender = 0; sender < columns_.source.processes(); ++sender) {
        messages.columns.push_back(intersect(columns_, sender, here->column, column_window));
      }
    }
    count(messages, source_.layout().grid(), source_processes);
    return messages;
  }

  /// A peer's process indices along the destination's rows and columns: of a rank that receives, of
  /// one that sends.
  static std::pair<int, int> destination_processes(GridPosition peer) {
    return {peer.row, peer.column};
  }
  static std::pair<int, int> source_processes(GridPosition peer) {
    return {along<RowFrom>(peer), along<ColumnFrom>(peer)};
  }

  /// Fills in the counts; none for this rank itself, whose elements need no message.
  template <class ProcessesOf>
  void count(Messages<RowFrom, ColumnFrom>& messages, const GridShape& peers,
             const ProcessesOf& processes_of) const {
    const Communicator& communicator = source_.communicator();
    messages.counts.assign(static_cast<std::size_t>(communicator.size()), 0);
    if (messages.rows.empty()) return;
    const auto row_extents = extents(messages.rows);
    const auto column_extents = extents(messages.columns);
    for (int rank = 0; rank <= peers.last_rank(); ++rank) {
      const auto peer = peers.position(rank);
      if (!peer || rank == communicator.rank()) continue;
      const auto [row, column] = processes_of(*peer);
      messages.counts[static_cast<std::size_t>(rank)] =
          static_cast<std::size_t>(row_extents[static_cast<std::size_t>(row)] *
                                   column_extents[static_cast<std::size_t>(column)]);
    }
  }

  void pack(const Messages<RowFrom, ColumnFrom>& messages, T* buffer) const {
    for_each_message(messages, destination_.layout().grid(), destination_processes, buffer,
                     [&](const auto& row, const auto& column, LocalView<T> block) {
                       add(alpha_, op_, source_block(row, column), T(0), block);
                     });
  }

  void unpack(const Messages<RowFrom, ColumnFrom>& messages, T* buffer) {
    for_each_message(messages, source_.layout().grid(), source_processes, buffer,
                     [&](const auto& row, const auto& column, LocalView<const T> block) {
                       add(T(1), Op::none, block, beta_, destination_block(row, column));
                     });
  }

  /// Calls visit(row run, column run, the block's place in the buffer) for each block of each
  /// message.
  template <class ProcessesOf, class Visit>
  static void for_each_message(const Messages<RowFrom, ColumnFrom>& messages,
                               const GridShape& peers, const ProcessesOf& processes_of, T* buffer,
                               const Visit& visit) {
    for (int rank = 0; rank <= peers.last_rank(); ++rank) {
      const std::size_t count = messages.counts[static_cast<std::size_t>(rank)];
      if (count == 0) continue;
      const auto [row_process, column_process] = processes_of(*peers.position(rank));
      const auto& rows = messages.rows[static_cast<std::size_t>(row_process)];
      const auto& columns = messages.columns[static_cast<std::size_t>(column_process)];
      const std::int64_t height = extent(rows);
      const LocalView<T> message{buffer, height, extent(columns), height};
      for_each_block(rows, columns, [&](const auto& row, const auto& column, auto i, auto j) {
        visit(row, column, message.block(i, j, row.extent, column.extent));
      });
      buffer += count;
    }
  }

  /// What this rank keeps, copied from part to part.
  void keep(LocalRange<Row> row_window, LocalRange<Column> column_window) {
    const auto from = source_.position();
    const auto to = destination_.position();
    if (!from || !to) return;
    const auto rows = intersect(rows_, along<RowFrom>(*from), to->row, row_window);
    const auto columns = intersect(columns_, along<ColumnFrom>(*from), to->column, column_window);
    for_each_block(rows, columns, [&](const auto& row, const auto& column, auto, auto) {
      add(alpha_, op_, source_block(row, column), beta_, destination_block(row, column));
    });
  }

  /// The part of the source that two runs select; op() of it has the runs' shape.
  LocalView<const T> source_block(const SharedRun<RowFrom, Row>& row,
                                  const SharedRun<ColumnFrom, Column>& column) const {
    if constexpr (std::is_same_v<RowFrom, Row>) {
      return source_.local().block(row.source.value, column.source.value, row.extent,
                                   column.extent);
    } else {
      return source_.local().block(column.source.value, row.source.value, column.extent,
                                   row.extent);
    }
  }

  LocalView<T> destination_block(const SharedRun<RowFrom, Row>& row,
                                 const SharedRun<ColumnFrom, Column>& column) {
    return destination_.local().block(row.destination.value, column.destination.value, row.extent,
                                      column.extent);
  }

  /// Elements of this rank's part of the source that move.
  std::int64_t elements_to_send() const {
    const auto here = source_.position();
    if (!here) return 0;
    return rows_.source.local_range(along<RowFrom>(*here), rows_.range).extent() *
           columns_.source.local_range(along<ColumnFrom>(*here), columns_.range).extent();
  }

  std::int64_t elements_to_receive() const {
    const auto here = destination_.position();
    if (!here) return 0;
    return rows_.destination.local_range(here->row, rows_.destination_range()).extent() *
           columns_.destination.local_range(here->column, columns_.destination_range()).extent();
  }

  T alpha_;
  Op op_;
  const Matrix<T>& source_;
  T beta_;
  Matrix<T>& destination_;
  AxisTransfer<RowFrom, Row> rows_;
  AxisTransfer<ColumnFrom, Column> columns_;
};

std::string shape(std::int64_t m, std::int64_t n) {
  return fmt::format("{}x{}", m, n);
}

template <MatrixElement T>
void require_shapes(const Operand<T>& source, const Matrix<T>& destination) {
  if (!same_communicator(source.matrix.communicator(), destination.communicator())) {
    throw Error(ErrorCode::invalid_argument,
                "redistribute: source and destination have different communicators: make both "
                "with the same one");
  }
  if (source.m() != destination.m() || source.n() != destination.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("redistribute: {} source, op {}, {} destination: give a destination "
                            "with the shape of op(source)",
                            shape(source.matrix.m(), source.matrix.n()), to_string(source.op),
                            shape(destination.m(), destination.n())));
  }
}

template <MatrixElement T>
void require_apart(const Matrix<T>& source, const Matrix<T>& destination) {
  if (!overlap<T>(source.local(), destination.local())) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("redistribute: rank {}: source and destination share memory: give the "
                          "destination memory of its own",
                          destination.communicator().rank()));
}

}  // namespace

template <MatrixElement T>
void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> source,
                  std::type_identity_t<T> beta, Matrix<T>& destination,
                  std::int64_t exchange_bytes) {
  require_shapes<T>(source, destination);
  const Matrix<T>& from = source.matrix;
  if (alpha == T(0)) {
    scale(beta, destination.local());
    return;
  }
  if (source.op == Op::none && from.layout() == destination.layout()) {
    require_apart(from, destination);
    add(alpha, Op::none, from.local(), beta, destination.local());
    return;
  }
  collective_try(destination.communicator(), [&] { require_apart(from, destination); });
  if (source.op == Op::none) {
    Redistribution<T, Row, Column>(alpha, source.op, from, beta, destination).run(exchange_bytes);
  } else {
    Redistribution<T, Column, Row>(alpha, source.op, from, beta, destination).run(exchange_bytes);
  }
}

template <MatrixElement T>
void redistribute(Op op, const Matrix<T>& source, Matrix<T>& destination,
                  std::int64_t exchange_bytes) {
  redistribute(T(1), {op, source}, T(0), destination, exchange_bytes);
}

#define CUBOID_INSTANTIATE(T)                                                              \
  template void redistribute<T>(std::type_identity_t<T>, std::type_identity_t<Operand<T>>, \
                                std::type_identity_t<T>, Matrix<T>&, std::int64_t);        \
  template void redistribute(Op, const Matrix<T>&, Matrix<T>&, std::int64_t)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
