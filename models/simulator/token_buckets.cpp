#include "models/simulator/token_buckets.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

// A bucket opens only if it has more than this share of the limit. Otherwise every message would be
// simulated in two parts.
constexpr double worthwhile = 1.0 / 64;

}  // namespace

TokenBuckets::TokenBuckets(FairShares& shares, std::vector<double> bytes_per_second, double bytes)
    : shares_(shares), limit_(bytes) {
  if (!any()) return;
  buckets_.resize(bytes_per_second.size());
  for (std::size_t link = 0; link < buckets_.size(); ++link) {
    Bucket& bucket = buckets_[link];
    bucket.rate = bytes_per_second[link];
  }
}

void TokenBuckets::fill(Bucket& bucket, double now) const {
  bucket.tokens =
      std::clamp(bucket.tokens + (bucket.rate - bucket.load) * (now - bucket.since), 0.0, limit_);
  bucket.since = now;
}

bool TokenBuckets::worth_opening(const Bucket& bucket) const {
  return !bucket.open && bucket.tokens > worthwhile * limit_;
}

void TokenBuckets::open(int link) {
  at(link).open = true;
  shares_.set_capacity(link, ahead * at(link).rate);
}

void TokenBuckets::touch(std::span<const int> links) {
  if (!any()) return;
  for (const int link : links) {
    // a link that stands for a node's limit
    if (static_cast<std::size_t>(link) >= buckets_.size()) continue;
    if (!std::exchange(at(link).touched, true)) touched_.push_back(link);
  }
}

void TokenBuckets::begin(std::span<const int> links, double now) {
  if (!any()) return;
  touch(links);
  for (const int link : links) {
    if (static_cast<std::size_t>(link) >= buckets_.size()) continue;
    fill(at(link), now);
    if (worth_opening(at(link))) open(link);
  }
}

bool TokenBuckets::settle(double now) {
  bool opened = false;
  for (const int link : touched_) {
    Bucket& bucket = at(link);
    bucket.touched = false;
    fill(bucket, now);
    bucket.load = shares_.load(link);
    ++bucket.version;
    changed_.push_back(link);
    // Flows whose bottleneck was another link may have it here now.
    if (bucket.load < bucket.rate * (1 - 1e-9) || !worth_opening(bucket)) continue;
    open(link);
    opened = true;
  }
  touched_.clear();
  return opened;
}

std::vector<TokenBuckets::Emptying> TokenBuckets::emptying(double now) {
  std::vector<Emptying> found;
  for (const int link : changed_) {
    const Bucket& bucket = at(link);
    if (bucket.open && bucket.load > bucket.rate)
      found.push_back({link, now + bucket.tokens / (bucket.load - bucket.rate), bucket.version});
  }
  changed_.clear();
  return found;
}

void TokenBuckets::emptied(const Emptying& empty, double now) {
  Bucket& bucket = at(empty.link);
  if (bucket.version != empty.version) return;
  fill(bucket, now);
  bucket.tokens = 0;
  bucket.open = false;
  ++bucket.version;
  shares_.set_capacity(empty.link, bucket.rate);
  touch(std::span(&empty.link, 1));
}

}  // namespace cuboid::detail
