#pragma once

#include <vector>

struct nl_sock;

namespace cuboid::detail {

/// A token bucket filter (tbf) of a link: the rate and the burst that it lets through.
struct TokenBucketFilter {
  int link_index = 0;
  double bytes_per_second = 0;
  double burst_bytes = 0;  ///< bytes at once, after a rest
};

/// The token buckets of this network namespace. `socket` is a connected netlink socket. Throws
/// Error(unsupported) if the kernel refuses.
///
/// libnl's own reader of tbf does not know the field for rates beyond 34 Gbit/s (version 3.7).
std::vector<TokenBucketFilter> read_token_bucket_filters(nl_sock* socket);

}  // namespace cuboid::detail
