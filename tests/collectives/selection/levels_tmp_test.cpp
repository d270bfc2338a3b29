#include <cuboid/shape.hpp>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/modelled_call.hpp"

#include <iostream>
#include <map>

#include <gtest/gtest.h>
namespace cuboid::detail {
TEST(Levels, Explore) {
  std::map<std::size_t, int> count;
  std::map<std::size_t, int> gain;
  for (int ranks : {4, 6, 12, 24, 64, 100, 256, 1000, 4096, 16384, 65536, 262144})
    for (double alpha : {1e-6, 5e-6, 30e-6, 100e-6})
      for (double beta : {1e-10, 1e-9, 1e-8, 1e-7})
        for (std::size_t bytes = 64; bytes <= (std::size_t{1} << 30); bytes *= 16)
          for (Operation op : {Operation::broadcast, Operation::reduce, Operation::allreduce}) {
            GroupCostModel m{GroupNodes::apart(ranks), {alpha, beta}, {1e-6, 2e-10}};
            Collective c = call_of(op, bytes, ranks);
            if (op != Operation::broadcast) c.reduction = Reduction::Kind::sum;
            const Call call{c, m};
            const auto e = find_algorithm("hierarchical")->price(call);
            if (!e) continue;
            ++count[e->settings.levels.size()];
            double other = 1e9;
            std::string_view name;
            for (const Algorithm& a : algorithms()) {
              if (!a.serves(op) || a.name == "hierarchical") continue;
              const auto p = a.price(call);
              if (p && p->seconds < other) other = p->seconds, name = a.name;
            }
            if (e->seconds < other * 0.97) {
              ++gain[e->settings.levels.size()];
              if (e->settings.levels.size() > 2)
                std::cout << "L " << to_string(op) << " P " << ranks << " a " << alpha << " b "
                          << beta << " bytes " << bytes << " levels " << e->settings.levels.size()
                          << " s " << e->seconds << " other " << other << " " << name << "\n";
            }
          }
  for (auto [l, n] : count)
    std::cout << "LEVELS " << l << " priced best " << n << " wins " << gain[l] << "\n";
}
}  // namespace cuboid::detail
#include "collectives/selection/plan_for_rank.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/blue_gene.hpp"

#include <chrono>
namespace cuboid::detail {
TEST(Levels, Time) {
  using C = std::chrono::steady_clock;
  const auto ms = [](C::time_point a) {
    return std::chrono::duration<double>(C::now() - a).count() * 1e3;
  };
  for (const char* spec : {"torus:64x64x64", "torus:63x63x63"}) {
    GroupCostModel m = blue_gene(parse_shape(spec).shape);
    for (std::size_t bytes : {8ul, 32768ul, 262144ul, 2097152ul, 67108864ul, 1073741824ul}) {
      Collective c = call_of(Operation::allreduce, bytes, m.ranks());
      c.reduction = Reduction::Kind::sum;
      for (int turn = 0; turn < 2; ++turn) {
        for (const Algorithm& a : algorithms()) {
          if (!a.serves(Operation::allreduce)) continue;
          const Call call{c, m};
          auto t = C::now();
          const auto e = a.price(call);
          const double took = ms(t);
          if (took > 0.15 && turn)
            std::cout << "PRICE " << spec << " " << bytes << " " << a.name << " " << took << "\n";
        }
        auto t = C::now();
        const Choice choice = select(c, m);
        const double s = ms(t);
        t = C::now();
        const auto p = plan_for_rank(c, m, 1, choice);
        const double q = ms(t);
        std::cout << "TIME " << spec << " " << bytes << " select " << s << " plan " << q
                  << " steps " << p.schedule.steps.size() << " " << describe(choice) << "\n";
      }
    }
  }
}
}  // namespace cuboid::detail
