#include "models/simulator/transfer_graph.hpp"

#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid::detail {

TransferGraph::Id TransferGraph::add(const Transfer& transfer, std::span<const Id> after) {
  const auto there = [&](int rank) { return rank >= 0 && rank < ranks_; };
  const std::size_t id = transfers_.size();
  if (!there(transfer.from) || !there(transfer.to) || !(transfer.bytes >= 0) ||
      !(transfer.work_seconds >= 0)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("transfer {}: {} bytes from rank {} to rank {}, {} seconds of work: "
                            "ranks are 0 to {}, bytes and seconds not negative",
                            id, transfer.bytes, transfer.from, transfer.to, transfer.work_seconds,
                            ranks_ - 1));
  }
  for (const Id earlier : after) {
    if (earlier >= id) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("transfer {} after {}: a transfer can wait only for earlier ones", id,
                              earlier));
    }
  }
  transfers_.push_back(transfer);
  after_.insert(after_.end(), after.begin(), after.end());
  first_after_.push_back(after_.size());
  return static_cast<Id>(id);
}

}  // namespace cuboid::detail
