#include <cuboid/bootstrap.hpp>
#include <cuboid/error.hpp>

#include "base/clock.hpp"
#include "collectives/bootstrap/absent_ranks.hpp"
#include "collectives/bootstrap/blob.hpp"
#include "collectives/bootstrap/pmix_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ratio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// Each rank publishes its message, and PMIx's servers bring all messages to every node while the
/// ranks wait for each other at a fence. Then each rank asks for every message; if not all ranks
/// came to the fence, it so learns who is missing. A rank that fails publishes the reason in place
/// of its next message.
///
/// PMIx counts arrivals at a fence, not ranks. A rank that stops waiting at a fence has been
/// counted there, so the rank comes to no other fence before that fence has ended; until then the
/// rank waits for messages only. Every message says how many fences its sender has come to. A rank
/// that has come to fewer fences than another then comes to the fences that it has missed.
/// Otherwise a fence would be open when the job ends, and PMIx 4.2, in Open MPI 4.1's mpirun, would
/// end that fence once for every rank that leaves, which may hang mpirun.
class PmixBootstrap : public Bootstrap {
 public:
  PmixBootstrap(PmixClient& client, std::chrono::duration<double> timeout)
      : client_(client), number_(client.next_bootstrap()), timeout_(timeout) {}

  ~PmixBootstrap() override {
    if (std::uncaught_exceptions() == exceptions_before_ || failed_) return;
    tell_failure(fmt::format("rank {} gave up; look at its own message", rank()));
    try {
      if (client_.is_fence_pending()) return;
      client_.fence(a_moment);  // so that ranks which wait for the next message have it at once
    } catch (const std::exception&) {
      // They reach their deadlines.
    }
  }
  PmixBootstrap(const PmixBootstrap&) = delete;
  PmixBootstrap& operator=(const PmixBootstrap&) = delete;

  int rank() const override { return client_.rank(); }
  int size() const override { return client_.size(); }

  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) override {
    try {
      const std::string key = next_key();
      const bool fenced = !client_.is_fence_pending();
      publish_message(key, client_.fences() + (fenced ? 1 : 0), mine);
      const auto start = Clock::now();
      const int status = fenced ? client_.fence(timeout_) : pmix::success;
      const auto waited = std::chrono::round<Tenths>(Clock::now() - start);
      const bool late = status != pmix::success;
      const auto letters = client_.published_by_others(key, late ? patience_for_absent : timeout_);
      require_no_failure(letters);
      require_all(letters, late ? std::chrono::duration<double>(waited) : timeout_, status);
      come_to_missed_fences(letters);
      return messages(letters, mine);
    } catch (const Error& error) {
      if (!std::exchange(failed_, true)) tell_failure(error.what());
      throw Error(error.code(), fmt::format("rank {}: bootstrap: {}", rank(), error.what()));
    }
  }

 private:
  enum class Kind : char { message, failure };
  using Letters = std::vector<std::optional<std::vector<std::byte>>>;  // by rank

  using Tenths = std::chrono::duration<std::int64_t, std::deci>;  // of seconds

  static constexpr std::chrono::duration<double> a_moment{1.0};
  // A server may first try for seconds to reach the node of a rank that has left.
  static constexpr std::chrono::duration<double> patience_for_absent{5.0};

  // No key is used twice. So a rank that has left a bootstrap early finds the others in the next.
  std::string next_key() { return fmt::format("cuboid.{}.{}", number_, exchanges_++); }

  void publish(const std::string& key, Kind kind, std::span<const std::byte> content) {
    std::vector<std::byte> letter{static_cast<std::byte>(kind)};
    letter.insert(letter.end(), content.begin(), content.end());
    client_.publish(key, letter);
  }

  void publish_message(const std::string& key, std::uint32_t fences,
                       std::span<const std::byte> mine) {
    BlobWriter content;
    content.add(std::vector{fences});
    content.add(mine);
    publish(key, Kind::message, content.bytes());
  }

  struct Message {
    std::uint32_t fences;
    std::span<const std::byte> content;
  };

  static Message message_in(const std::vector<std::byte>& letter) {
    BlobReader content(std::span<const std::byte>{letter}.subspan(1));
    const std::uint32_t fences = content.vector<std::uint32_t>().at(0);
    return {fences, content.take()};
  }

  void come_to_missed_fences(const Letters& letters) {
    std::uint32_t most = 0;
    for (const auto& letter : letters) {
      if (letter) most = std::max(most, message_in(*letter).fences);
    }
    // A rank comes to a fence after the end of the one before, of which this rank hears soon.
    while (client_.fences() < most && !client_.is_fence_pending(a_moment)) client_.fence(a_moment);
  }

  void tell_failure(const std::string& why) noexcept {
    try {
      publish(next_key(), Kind::failure, std::as_bytes(std::span(why)));
    } catch (const std::exception&) {
      // The other ranks reach their deadlines.
    }
  }

  static bool is(const std::optional<std::vector<std::byte>>& letter, Kind kind) {
    return letter && !letter->empty() && Kind(letter->front()) == kind;
  }

  static void require_no_failure(const Letters& letters) {
    for (const auto& letter : letters) {
      if (!is(letter, Kind::failure)) continue;
      const auto* const text = reinterpret_cast<const char*>(letter->data());
      throw Error(ErrorCode::peer_failed, std::string(text + 1, letter->size() - 1));
    }
  }

  void require_all(const Letters& letters, std::chrono::duration<double> waited, int status) const {
    std::vector<bool> came;
    for (const auto& letter : letters) came.push_back(letter.has_value());
    came[static_cast<std::size_t>(rank())] = true;
    if (std::ranges::find(came, false) == came.end()) return;
    const std::string absent = absent_ranks(came, waited);
    if (status == pmix::success || status == pmix::timeout) throw Error(ErrorCode::timeout, absent);
    throw Error(ErrorCode::peer_failed,
                fmt::format("{}; the launcher reports: {}", absent, client_.text_of(status)));
  }

  std::vector<std::vector<std::byte>> messages(const Letters& letters,
                                               std::span<const std::byte> mine) const {
    std::vector<std::vector<std::byte>> of_all;
    for (int from = 0; from < size(); ++from) {
      const std::span<const std::byte> message =
          from == rank() ? mine : message_in(*letters[static_cast<std::size_t>(from)]).content;
      of_all.emplace_back(message.begin(), message.end());
    }
    return of_all;
  }

  PmixClient& client_;
  unsigned number_;
  unsigned exchanges_ = 0;
  std::chrono::duration<double> timeout_;
  bool failed_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace

std::unique_ptr<Bootstrap> pmix_bootstrap(const Environment& environment) {
  return std::make_unique<PmixBootstrap>(PmixClient::of_this_process(), environment.timeout);
}

}  // namespace cuboid
