#pragma once

#include <cuboid/bootstrap.hpp>

#include <cstdint>

#include <cuboid.h>

namespace cuboid::detail::c {

/// A bootstrap that uses the caller's exchange function, which gathers messages of equal length.
/// First the lengths are exchanged, then all messages, padded to the longest.
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
