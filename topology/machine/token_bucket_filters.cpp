#include "topology/machine/token_bucket_filters.hpp"

#include <cuboid/error.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/utils.h>

namespace cuboid::detail {

namespace {

struct ReleaseCallbacks {
  void operator()(nl_cb* callbacks) const { nl_cb_put(callbacks); }
};

// The token bucket in a message; nullopt if the message is about another queueing discipline.
std::optional<TokenBucketFilter> filter_in(nlmsghdr* message) {
  std::array<nlattr*, TCA_MAX + 1> about{};
  if (nlmsg_parse(message, sizeof(tcmsg), about.data(), TCA_MAX, nullptr) < 0) return std::nullopt;
  if (about[TCA_KIND] == nullptr || about[TCA_OPTIONS] == nullptr ||
      std::string_view(nla_get_string(about[TCA_KIND])) != "tbf") {
    return std::nullopt;
  }
  std::array<nlattr*, TCA_TBF_MAX + 1> options{};
  if (nla_parse_nested(options.data(), TCA_TBF_MAX, about[TCA_OPTIONS], nullptr) < 0 ||
      options[TCA_TBF_PARMS] == nullptr) {
    return std::nullopt;
  }
  tc_tbf_qopt parameters{};
  nla_memcpy(&parameters, options[TCA_TBF_PARMS], sizeof parameters);
  nlattr* const wide = options[TCA_TBF_RATE64];
  const double rate = wide != nullptr ? static_cast<double>(nla_get_u64(wide))
                                      : static_cast<double>(parameters.rate.rate);
  if (rate == 0) return std::nullopt;
  // The kernel stores a bucket's size as the time in which it fills.
  const double filling = nl_ticks2us(parameters.buffer) * 1e-6;
  const int link = static_cast<tcmsg*>(nlmsg_data(message))->tcm_ifindex;
  return TokenBucketFilter{link, rate, rate * filling};
}

int note(nl_msg* message, void* filters) noexcept {
  if (const auto filter = filter_in(nlmsg_hdr(message)))
    static_cast<std::vector<TokenBucketFilter>*>(filters)->push_back(*filter);
  return NL_OK;
}

void check(int code) {
  if (code < 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("cannot list queueing disciplines: {}", nl_geterror(code)));
  }
}

}  // namespace

std::vector<TokenBucketFilter> read_token_bucket_filters(nl_sock* socket) {
  std::vector<TokenBucketFilter> filters;
  const std::unique_ptr<nl_cb, ReleaseCallbacks> callbacks(nl_cb_alloc(NL_CB_DEFAULT));
  if (callbacks == nullptr) throw Error(ErrorCode::out_of_memory, "no memory for netlink");
  check(nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, note, &filters));
  tcmsg all_links{};
  all_links.tcm_family = AF_UNSPEC;
  check(nl_send_simple(socket, RTM_GETQDISC, NLM_F_DUMP, &all_links, sizeof all_links));
  check(nl_recvmsgs(socket, callbacks.get()));
  return filters;
}

}  // namespace cuboid::detail
