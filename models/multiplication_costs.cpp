#include <cuboid/models/multiplication_costs.hpp>

#include <algorithm>
#include <cmath>

namespace cuboid {

namespace {

/// The largest of `parts` parts of an extent.
double part(double extent, double parts) {
  return std::ceil(extent / parts);
}

/// What a rank lacks of `extent` indices when it owns the smallest of `parts` shares.
double lacking(double extent, double parts) {
  return extent - std::floor(extent / parts);
}

/// A rank's shares of the three matrices on a rows × columns grid.
double shares(const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  return part(m, rows) * part(k, columns) + part(k, rows) * part(n, columns) +
         part(m, rows) * part(n, columns);
}

double steps_of(double extent, double width) {
  return std::max(1.0, part(extent, width));
}

/// Words on a grid where a rank sees all of its rows of A and columns of B.
MultiplicationCost on_grid(const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  const double height = part(m, rows), breadth = part(n, columns);
  return {.work = height * breadth * k,
          .words = height * lacking(k, columns) + breadth * lacking(k, rows),
          .memory = shares(product, rows, columns)};
}

}  // namespace

MultiplicationCost summa_cost(const ProductExtents& product, double rows, double columns,
                              double width) {
  MultiplicationCost cost = on_grid(product, rows, columns);
  cost.rounds = steps_of(product.k, width);
  cost.messages = cost.rounds * ((rows > 1 ? 1 : 0) + (columns > 1 ? 1 : 0));
  cost.memory +=
      2 * (part(product.m, rows) + part(product.n, columns)) * std::min(product.k, width);
  return cost;
}

MultiplicationCost srumma_cost(const ProductExtents& product, double rows, double columns,
                               double widest_task) {
  const auto [m, n, k] = product;
  MultiplicationCost cost = on_grid(product, rows, columns);
  cost.rounds = std::max({rows, columns, steps_of(k, widest_task)});
  cost.messages = cost.rounds * (2 - 1 / rows - 1 / columns);
  // What others read is a copy.
  const double shown = (columns > 1 ? part(m, rows) * part(k, columns) : 0) +
                       (rows > 1 ? part(k, rows) * part(n, columns) : 0);
  cost.memory += shown + 2 * (part(m, rows) + part(n, columns)) * part(k, cost.rounds);
  return cost;
}

MultiplicationCost cannon_cost(const ProductExtents& product, double side) {
  const auto [m, n, k] = product;
  const double inner = part(k, side);
  const double blocks = (part(m, side) + part(n, side)) * inner;
  const bool moves = side > 1;
  return {.work = part(m, side) * part(n, side) * inner * side,
          .words = moves ? blocks * side : 0,
          .messages = moves ? 2 * side : 0,
          .memory = shares(product, side, side) + (moves ? 2 * blocks : 0),
          .rounds = side};
}

MultiplicationCost layered_cost(const ProductExtents& product, double side, double layers,
                                double width) {
  const auto [m, n, k] = product;
  const double layer = part(k, layers);
  const double height = part(m, side), breadth = part(n, side);
  const bool several = layers > 1;
  MultiplicationCost cost{.work = height * breadth * layer,
                          .sum_words = several ? height * breadth : 0,
                          .rounds = steps_of(layer, width)};
  const double replicated = several ? (height + breadth) * part(k, side) : 0;
  cost.words = replicated + (height + breadth) * lacking(layer, side) + cost.sum_words;
  cost.messages = (side > 1 ? 2 * cost.rounds : 0) + (several ? 3 : 0);
  cost.memory = shares(product, side, side) + 2 * (height + breadth) * std::min(layer, width);
  return cost;
}

MultiplicationCost brick_cost(const ProductExtents& product, double rows, double columns,
                              double layers, double rounds) {
  const double height = part(product.m, rows), breadth = part(product.n, columns),
               depth = part(product.k, layers);
  MultiplicationCost cost{.work = height * breadth * depth,
                          .sum_words = height * lacking(breadth, layers),
                          .rounds = rounds};
  cost.words = height * lacking(depth, columns) + depth * lacking(breadth, rows) + cost.sum_words;
  cost.messages = rounds * (columns - 1 + rows - 1) + layers - 1;
  // Two panels of each operand that moves are there at once where there are several rounds.
  const double panels = rounds > 1 ? 2 : 1;
  const double a = columns > 1 ? height * part(depth, rounds) : 0;
  const double b = rows > 1 ? part(depth, rounds) * breadth : 0;
  cost.memory = height * part(depth, columns) + depth * part(breadth, rows) +
                height * part(breadth, layers) + panels * (a + b) +
                (layers > 1 ? height * breadth : 0);
  return cost;
}

MultiplicationSeconds multiplication_seconds(const MultiplicationCost& cost,
                                             const RankRates& rates) {
  MultiplicationSeconds seconds{
      .compute = cost.work / rates.multiplications_per_second,
      .communicate = rates.per_element.alpha * cost.messages + rates.per_element.beta * cost.words};
  const double sums = cost.words > 0 ? seconds.communicate * cost.sum_words / cost.words : 0;
  const double operands = seconds.communicate - sums;
  const double first_and_last = (operands + seconds.compute) / cost.rounds;
  const double between =
      (rates.overlap ? std::max(operands, seconds.compute) : operands + seconds.compute) *
      (cost.rounds - 1) / cost.rounds;
  seconds.total = first_and_last + between + sums;
  return seconds;
}

}  // namespace cuboid
