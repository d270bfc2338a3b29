#include "collectives/bootstrap/pmix_client.hpp"

#include <cuboid/error.hpp>

#include "base/clock.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

/// What a call of PMIx's ended in.
struct PmixAnswer {
  int status = pmix::success;
  std::uint32_t number = 0;
  std::vector<std::byte> bytes;
};

}  // namespace

// PMIx cannot take back a call, and keeps pointers to its key and context.
class PmixCalls {
 public:
  /// The memory lives until nobody uses it and no call is pending.
  static std::shared_ptr<PmixCalls> make(std::size_t calls, const std::string& key) {
    return {new PmixCalls(calls, key), Free()};
  }

  const char* key() const { return key_.c_str(); }

  /// The context of a call that begins.
  void* begin(std::size_t call) {
    const std::lock_guard lock(mutex_);
    calls_[call].pending = true;
    ++pending_;
    return &calls_[call];
  }

  /// Called by a callback, or in place of a callback that will not come.
  static void complete(void* context, PmixAnswer answer) {
    Call& call = *static_cast<Call*>(context);
    const std::lock_guard lock(call.of->mutex_);
    call.answer = std::move(answer);
    call.pending = false;
    if (--call.of->pending_ == 0) call.of->changed_.notify_all();
  }

  /// Waits until no call is pending; returns false if that takes too long.
  bool wait(std::chrono::duration<double> patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return pending_ == 0; });
  }

  bool is_pending(std::size_t call) {
    const std::lock_guard lock(mutex_);
    return calls_[call].pending;
  }

  /// What a call ended in; nothing if it is pending.
  std::optional<PmixAnswer> answer(std::size_t call) {
    const std::lock_guard lock(mutex_);
    return calls_[call].pending ? std::nullopt : std::optional(calls_[call].answer);
  }

 private:
  PmixCalls(std::size_t calls, std::string key) : key_(std::move(key)), calls_(calls) {
    for (Call& call : calls_) call.of = this;
  }

  struct Free {
    void operator()(PmixCalls* calls) const {
      std::unique_lock lock(calls->mutex_);
      const bool none = calls->pending_ == 0;
      lock.unlock();
      if (none) delete calls;
    }
  };

  struct Call {
    PmixCalls* of = nullptr;
    bool pending = false;
    PmixAnswer answer;
  };

  const std::string key_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> calls_;
  std::size_t pending_ = 0;
};

namespace {

void take_status(int status, void* context) {
  PmixCalls::complete(context, {.status = status, .number = 0, .bytes = {}});
}

void take_value(int status, PmixValue* value, void* context) {
  PmixAnswer answer{.status = status, .number = 0, .bytes = {}};
  if (status == pmix::success && value != nullptr) {
    if (value->type == pmix::number) answer.number = value->number;
    if (value->type == pmix::bytes)
      answer.bytes.assign(value->bytes.data, value->bytes.data + value->bytes.size);
  }
  PmixCalls::complete(context, std::move(answer));
}

constexpr const char* pmix_remedy =
    "start the ranks by srun --mpi=pmix, Open MPI's mpirun or prterun";

/// Throws if no launcher with PMIx started this process. Without this check PMIx 4 and later would
/// make a job of this process alone.
void require_pmix_launcher() {
  if (std::getenv("PMIX_NAMESPACE") != nullptr) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("bootstrap over PMIx: no launcher with PMIx started this process: {}",
                          pmix_remedy));
}

void require_pmix(const PmixLibrary& library, int status, const char* what) {
  if (status == pmix::success) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("PMIx: {} failed: {}", what, library.text_of(status)));
}

}  // namespace

PmixClient& PmixClient::of_this_process() {
  require_pmix_launcher();
  static PmixClient client;
  return client;
}

PmixClient::PmixClient() : process_id_(getpid()) {
  const int status = initialise();
  if (status == pmix::success) {
    size_ = ask_for_size();
    return;
  }
  throw Error(status == pmix::timeout ? ErrorCode::timeout : ErrorCode::unsupported,
              fmt::format("bootstrap over PMIx: the launcher's server on this node does not take "
                          "this process: PMIx_Init: {}: {}",
                          library_.text_of(status), pmix_remedy));
}

// PMIx_Init waits for the server on this node, and has no form that returns at once.
int PmixClient::initialise() {
  constexpr std::chrono::seconds patience_with_server{60};
  struct Answer {
    PmixProcess self{};
    std::promise<int> status;
  };
  const auto answer = std::make_shared<Answer>();
  auto status = answer->status.get_future();
  std::thread([answer, init = library_.init] {
    answer->status.set_value(init(&answer->self, nullptr, 0));
  }).detach();
  if (status.wait_for(patience_with_server) == std::future_status::timeout) return pmix::timeout;
  self_ = answer->self;
  return status.get();
}

// A child that the process has forked is no client: PMIx's thread is not there to answer it.
PmixClient::~PmixClient() {
  if (getpid() == process_id_) library_.finalise(nullptr, 0);
}

std::uint32_t PmixClient::ask_for_size() const {
  constexpr std::chrono::seconds patience_with_server{10};
  const auto calls = PmixCalls::make(1, pmix::size_of_job);
  const PmixProcess all = process(pmix::all_ranks);
  void* const context = calls->begin(0);
  const int status = library_.get(&all, calls->key(), nullptr, 0, &take_value, context);
  if (status != pmix::success) take_status(status, context);
  calls->wait(patience_with_server);
  const auto answer = calls->answer(0);
  if (answer) require_pmix(library_, answer->status, "PMIx_Get of the number of ranks");
  if (answer && self_.rank < answer->number) return answer->number;
  throw Error(ErrorCode::unsupported, "PMIx: the launcher does not tell the number of ranks");
}

void PmixClient::publish(const std::string& key, std::span<const std::byte> bytes) const {
  PmixValue value{};
  value.type = pmix::bytes;
  value.bytes = {bytes.data(), bytes.size()};
  require_pmix(library_, library_.put(pmix::global, key.c_str(), &value), "PMIx_Put");
  require_pmix(library_, library_.commit(), "PMIx_Commit");
}

bool PmixClient::is_fence_pending(std::chrono::duration<double> patience) const {
  return last_fence_ && !last_fence_->wait(patience);
}

int PmixClient::fence(std::chrono::duration<double> patience) {
  PmixArgument collect{};
  std::ranges::copy(std::string_view(pmix::collect_data), collect.name.begin());
  collect.value.type = pmix::flag;
  collect.value.flag = true;
  ++fences_;
  last_fence_ = PmixCalls::make(1, {});
  const PmixProcess all = process(pmix::all_ranks);
  void* const context = last_fence_->begin(0);
  const int status = library_.fence(&all, 1, &collect, 1, &take_status, context);
  if (status != pmix::success)
    take_status(status == pmix::done_at_once ? pmix::success : status, context);
  last_fence_->wait(patience);
  const auto answer = last_fence_->answer(0);
  return answer ? answer->status : pmix::timeout;
}

std::vector<std::optional<std::vector<std::byte>>> PmixClient::published_by_others(
    const std::string& key, std::chrono::duration<double> patience) const {
  // If a rank has published something else, the answer is at once that it has not published this.
  constexpr std::chrono::milliseconds between_questions{10};
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  std::vector<std::optional<std::vector<std::byte>>> published(size_);
  std::vector<std::uint32_t> missing(size_);
  std::iota(missing.begin(), missing.end(), 0U);
  std::erase(missing, self_.rank);
  const auto calls = PmixCalls::make(size_, key);
  for (;;) {
    for (const std::uint32_t rank : missing) {
      if (calls->is_pending(rank)) continue;
      const PmixProcess other = process(rank);
      void* const context = calls->begin(rank);
      const int status = library_.get(&other, calls->key(), nullptr, 0, &take_value, context);
      if (status != pmix::success) take_status(status, context);
    }
    const bool answered = calls->wait(between_questions);
    std::erase_if(missing, [&](std::uint32_t rank) {
      const auto answer = calls->answer(rank);
      if (!answer || answer->status != pmix::success) return false;
      published[rank] = answer->bytes;
      return true;
    });
    if (missing.empty() || Clock::now() > deadline) return published;
    if (answered) std::this_thread::sleep_for(between_questions);
  }
}

}  // namespace cuboid::detail
