#pragma once

#include "models/simulator/fair_shares.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Token buckets: a link that carried less than its rate for some time may then carry as many bytes
/// at once, up to a limit (burst credit). Traffic shapers of clouds and emulated networks do this;
/// a cable does not (limit 0). Watches the flows of a FairShares and changes the capacities of
/// links.
class TokenBuckets {
 public:
  /// The factor by which a link exceeds its rate during a burst.
  static constexpr double ahead = 100;

  /// A link whose bucket will be empty at `time` if rates do not change.
  struct Emptying {
    int link = 0;
    double time = 0;
    std::uint32_t version = 0;  ///< changes when rates change
  };

  /// @param bytes  the limit of a bucket; 0: there are no buckets.
  TokenBuckets(FairShares& shares, std::vector<double> bytes_per_second, double bytes);

  bool any() const { return limit_ > 0; }

  /// A flow begins over these links, or has ended there. Call it before the shares are updated.
  void begin(std::span<const int> links, double now);
  void end(std::span<const int> links) { touch(links); }
  /// The rates of flows over these links have changed.
  void touch(std::span<const int> links);

  /// Uses the new rates from now on. Call it after the shares have been updated. Returns true if
  /// capacities have changed, so that the shares must be updated again.
  bool settle(double now);
  /// The buckets of which it has become known since the last call when they will be empty.
  std::vector<Emptying> emptying(double now);
  /// Handles the event that a bucket is empty.
  void emptied(const Emptying& bucket, double now);

 private:
  struct Bucket {
    double rate = 0;
    double tokens = 0;  // tokens at `since`
    double since = 0;
    double load = 0;
    bool open = false;  // true if the link carries more than its rate
    bool touched = false;
    std::uint32_t version = 0;
  };

  Bucket& at(int link) { return buckets_[static_cast<std::size_t>(link)]; }
  void fill(Bucket& bucket, double now) const;
  bool worth_opening(const Bucket& bucket) const;
  void open(int link);

  FairShares& shares_;
  double limit_;
  std::vector<Bucket> buckets_;
  std::vector<int> touched_;
  std::vector<int> changed_;
};

}  // namespace cuboid::detail
