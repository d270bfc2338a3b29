#pragma once

#include <vector>

struct nl_sock;

namespace cuboid::detail {

/// What a token bucket (tbf) lets through a link.
struct TokenBucketFilter {
  int link_index = 0;
  double bytes_per_second = 0;
  double burst_bytes = 0;  ///< at once, after a rest
};

/// The token buckets of this network namespace, asked over a netlink socket that is connected.
/// Throws Error(unsupported) if the kernel refuses.
///
/// libnl's own reader of tbf does not know the field for rates beyond 34 Gbit/s (version 3.7).
std::vector<TokenBucketFilter> read_token_bucket_filters(nl_sock* socket);

}  // namespace cuboid::detail
