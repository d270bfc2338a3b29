#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/redistribution/exchange_cache.hpp"
#include "mm/redistribution/steps.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

[[noreturn]] void refuse_redistribution(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "redistribute: " + message);
}

std::int64_t rows_of(const AnyLayout& layout) {
  return std::visit([](const auto& one) { return one.m(); }, layout);
}
std::int64_t columns_of(const AnyLayout& layout) {
  return std::visit([](const auto& one) { return one.n(); }, layout);
}

int last_rank_of(const AnyLayout& layout) {
  if (const auto* const regular = std::get_if<Layout>(&layout)) return regular->grid().last_rank();
  return std::get<IrregularLayout>(layout).last_rank();
}

template <class Any>
AnyLayout layout_of(const Any& matrix) {
  return std::visit([](const auto* one) -> AnyLayout { return one->layout(); }, matrix);
}

/// True if a matrix has the planned layout. Compares without copying a layout.
template <class Any>
bool lies_as(const Any& matrix, const AnyLayout& planned) {
  return std::visit(
      [&](const auto* one) {
        using Kind = std::remove_cvref_t<decltype(one->layout())>;
        const auto* const layout = std::get_if<Kind>(&planned);
        return layout != nullptr && *layout == one->layout();
      },
      matrix);
}

/// Throws if a destination shares memory with a source or another destination.
template <MatrixElement T>
void require_apart(std::span<const RedistributionStep<T>> steps, int rank) {
  std::vector<LocalView<T>> read, written;
  for (const RedistributionStep<T>& step : steps) {
    const LocalBlocks<T> source(step.source), destination(step.destination);
    read.insert(read.end(), source.blocks.begin(), source.blocks.end());
    written.insert(written.end(), destination.blocks.begin(), destination.blocks.end());
  }
  for (std::size_t block = 0; block < written.size(); ++block) {
    const auto shares = [&](const LocalView<T>& other) {
      return overlap<T>(other, written[block]);
    };
    const bool with_another =
        steps.size() > 1 && std::any_of(written.begin() + static_cast<std::ptrdiff_t>(block) + 1,
                                        written.end(), shares);
    if (!with_another && std::ranges::none_of(read, shares)) continue;
    refuse_redistribution(
        fmt::format("rank {}: source and destination share memory: give the destination "
                    "memory of its own",
                    rank));
  }
}

void check(const Communicator& communicator, const AnyLayout& source, Op op,
           const AnyLayout& destination) {
  for (const AnyLayout* const layout : {&source, &destination}) {
    if (last_rank_of(*layout) < communicator.size()) continue;
    refuse_redistribution(
        fmt::format("a layout has rank {}, the communicator {} ranks: give one that has all",
                    last_rank_of(*layout), communicator.size()));
  }
  const std::int64_t m = rows_of(source), n = columns_of(source);
  const bool transposed = op != Op::none;
  if ((transposed ? n : m) == rows_of(destination) &&
      (transposed ? m : n) == columns_of(destination))
    return;
  refuse_redistribution(
      fmt::format("{}x{} source, op {}, {}x{} destination: give a destination with the shape "
                  "of op(source)",
                  m, n, to_string(op), rows_of(destination), columns_of(destination)));
}

}  // namespace

template <MatrixElement T>
struct RedistributionPlan<T>::State {
  Communicator communicator;
  std::shared_ptr<const PlannedExchange> planned;

  State(const Communicator& ranks, std::vector<Layouts> layouts, std::int64_t exchange_bytes)
      : communicator(ranks) {
    for (const auto& [source, op, destination] : layouts) check(ranks, source, op, destination);
    planned = cached_exchange(ranks, {std::move(layouts), sizeof(T), exchange_bytes});
  }

  const std::vector<Layouts>& several() const { return planned->wanted.several; }

  void require_planned(std::span<const RedistributionStep<T>> steps) const {
    if (steps.size() != several().size()) {
      refuse_redistribution(fmt::format("{} redistributions, {} were planned: give as many",
                                        steps.size(), several().size()));
    }
    for (std::size_t number = 0; number < steps.size(); ++number) {
      const auto& [alpha, source, beta, destination] = steps[number];
      const Layouts& lies = several()[number];
      if (!same_communicator(*LocalBlocks<T>(source).communicator, communicator) ||
          !same_communicator(*LocalBlocks<T>(destination).communicator, communicator)) {
        refuse_redistribution(
            "source and destination have different communicators than the plan: make all "
            "with the same one");
      }
      if (source.op != lies.op || !lies_as(source.matrix, lies.source) ||
          !lies_as(destination.matrix, lies.destination)) {
        refuse_redistribution(
            "a matrix has another layout or op than the plan: make a plan for it");
      }
    }
  }
};

template <MatrixElement T>
RedistributionPlan<T>::RedistributionPlan(const Communicator& communicator,
                                          std::vector<Layouts> several, std::int64_t exchange_bytes)
    : state_(std::make_unique<State>(communicator, std::move(several), exchange_bytes)) {}

template <MatrixElement T>
RedistributionPlan<T>::~RedistributionPlan() = default;
template <MatrixElement T>
RedistributionPlan<T>::RedistributionPlan(RedistributionPlan&&) noexcept = default;
template <MatrixElement T>
RedistributionPlan<T>& RedistributionPlan<T>::operator=(RedistributionPlan&&) noexcept = default;

template <MatrixElement T>
void RedistributionPlan<T>::run(std::type_identity_t<T> alpha, const Matrix<T>& A,
                                std::type_identity_t<T> beta, Matrix<T>& B) {
  if (state_->several().size() != 1)
    refuse_redistribution("one redistribution, several were planned: give all");
  const RedistributionStep<T> step{alpha, {state_->several().front().op, A}, beta, B};
  run(std::span(&step, 1));
}

template <MatrixElement T>
void RedistributionPlan<T>::run(std::span<const RedistributionStep<T>> several) {
  state_->require_planned(several);
  const bool reads =
      std::ranges::any_of(several, [](const auto& one) { return one.alpha != T(0); });
  RunningSteps<T> run(several);
  const PlannedExchange& planned = *state_->planned;
  const ChunkWork work = run.work(planned.ready.plan);
  if (!reads) {
    run.scale_destinations();
  } else if (planned.exchange) {
    planned.exchange->run(state_->communicator, planned.ready, work);
  } else {
    work.keep();
  }
  run.finish();
}

template <MatrixElement T>
void redistribute(std::span<const RedistributionStep<T>> several, std::int64_t exchange_bytes) {
  if (several.empty()) return;
  const Communicator& communicator = *LocalBlocks<T>(several.front().destination).communicator;
  std::vector<RedistributedLayouts> layouts;
  for (const RedistributionStep<T>& step : several) {
    for (const Communicator* const one : {LocalBlocks<T>(step.source).communicator,
                                          LocalBlocks<T>(step.destination).communicator}) {
      if (same_communicator(*one, communicator)) continue;
      refuse_redistribution(
          "source and destination have different communicators: make both with the same one");
    }
    layouts.push_back(
        {layout_of(step.source.matrix), step.source.op, layout_of(step.destination.matrix)});
    check(communicator, layouts.back().source, layouts.back().op, layouts.back().destination);
  }
  const auto check_memory = [&] { require_apart(several, communicator.rank()); };
  const bool all_stay = std::ranges::all_of(layouts, [](const RedistributedLayouts& one) {
    return one.op == Op::none && one.source == one.destination;
  });
  if (all_stay) {
    check_memory();
  } else {
    collective_try(communicator, check_memory);
  }
  RedistributionPlan<T>(communicator, std::move(layouts), exchange_bytes).run(several);
}

template <MatrixElement T>
void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<RedistributionSource<T>> A,
                  std::type_identity_t<T> beta, Matrix<T>& B, std::int64_t exchange_bytes) {
  const RedistributionStep<T> step{alpha, A, beta, B};
  redistribute<T>(std::span(&step, 1), exchange_bytes);
}

template <MatrixElement T>
void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<RedistributionSource<T>> A,
                  std::type_identity_t<T> beta, IrregularMatrix<T>& B,
                  std::int64_t exchange_bytes) {
  const RedistributionStep<T> step{alpha, A, beta, B};
  redistribute<T>(std::span(&step, 1), exchange_bytes);
}

#define CUBOID_INSTANTIATE(T)                                                          \
  template class RedistributionPlan<T>;                                                \
  template void redistribute<T>(std::span<const RedistributionStep<T>>, std::int64_t); \
  template void redistribute<T>(std::type_identity_t<T>,                               \
                                std::type_identity_t<RedistributionSource<T>>,         \
                                std::type_identity_t<T>, Matrix<T>&, std::int64_t);    \
  template void redistribute<T>(std::type_identity_t<T>,                               \
                                std::type_identity_t<RedistributionSource<T>>,         \
                                std::type_identity_t<T>, IrregularMatrix<T>&, std::int64_t)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
