#pragma once

#include "models/simulator/fair_shares.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Token buckets: a link that carried less than its rate for a while may then carry a burst of as
/// many bytes, up to a limit. Traffic shapers of clouds and emulated networks do this; a cable does
/// not (limit 0). Watches the flows of a FairShares and changes the capacities of links.
class TokenBuckets {
 public:
  /// The factor by which a link exceeds its rate during a burst.
  static constexpr double ahead = 100;

  /// A link whose bucket will be empty, if rates stay as they are.
  struct Emptying {
    int link = 0;
    double time = 0;
    std::uint32_t version = 0;  ///< changes when rates do not stay as they are
  };

  /// Buckets begin empty.
  /// @param bytes  the limit; 0: there are none.
  TokenBuckets(FairShares& shares, std::vector<double> bytes_per_second, double bytes);

  bool any() const { return limit_ > 0; }

  /// A flow begins over these links, or ended there: to be called before the shares are updated.
  void begin(std::span<const int> links, double now);
  void end(std::span<const int> links) { touch(links); }
  /// The rates of flows over these links have changed.
  void touch(std::span<const int> links);

  /// After the shares have been updated: reckons with the new rates from now on. Returns whether
  /// capacities have changed, so that the shares must be updated again.
  bool settle(double now);
  /// Buckets that will be empty, since the last call.
  std::vector<Emptying> emptying(double now);
  /// The time has come.
  void emptied(const Emptying& bucket, double now);

 private:
  struct Bucket {
    double rate = 0;
    double tokens = 0;  // at `since`
    double since = 0;
    double load = 0;
    bool open = false;  // lets through more than the rate
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
