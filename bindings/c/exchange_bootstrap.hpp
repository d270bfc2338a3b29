#pragma once

#include <cuboid/bootstrap.hpp>

#include <cstdint>

#include <cuboid.h>

namespace cuboid::detail::c {

/// Ranks that find each other by a function of the caller, which gathers blobs of equal length:
/// first how long each is, then all, filled up to the longest.
class ExchangeBootstrap : public Bootstrap {
 public:
  ExchangeBootstrap(int rank, int size, cuboid_exchange_function exchange, void* context);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override;

 private:
  void exchange(std::span<const std::byte> mine, std::span<std::byte> all) const;

  int rank_;
  int size_;
  cuboid_exchange_function exchange_;
  void* context_;
};

}  // namespace cuboid::detail::c
