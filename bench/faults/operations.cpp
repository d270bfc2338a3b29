#include "bench/faults/operations.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::bench {

namespace {

constexpr std::size_t elements = 20000;

Round allreduces(const Communicator& c) {
  return [&c, data = std::vector<double>(elements, 1)]() mutable {
    allreduce(c, data, data, Reduction::Kind::maximum);
  };
}

Round broadcasts(const Communicator& c) {
  return [&c, data = std::vector<double>(elements), root = 0]() mutable {
    broadcast(c, data, root);
    root = (root + 1) % c.size();
  };
}

Round alltoalls(const Communicator& c) {
  const std::size_t all = elements / 10 * static_cast<std::size_t>(c.size());
  return [&c, from = std::vector<double>(all), to = std::vector<double>(all)]() mutable {
    alltoall(c, from, to);
  };
}

/// Each rank exchanges messages with its neighbours in a ring: of lengths that take each way within
/// a node.
Round exchanges(const Communicator& c) {
  constexpr std::size_t longest = 4 << 20;
  return
      [&c, from = std::vector<std::byte>(longest), to = std::vector<std::byte>(longest)]() mutable {
        const int right = (c.rank() + 1) % c.size();
        const int left = (c.rank() + c.size() - 1) % c.size();
        for (const std::size_t bytes : {std::size_t{300}, std::size_t{100000}, longest}) {
          exchange(c, std::span(from).first(bytes), right, std::span(to).first(bytes), left);
        }
      };
}

/// Splits the ranks into two groups, each in reverse order, and then uses all ranks together.
Round groups(const Communicator& c) {
  return [&c, half = c.split(c.rank() % 2, -c.rank()),
          data = std::vector<double>(elements, 1)]() mutable {
    for (int call = 0; call < 10; ++call) allreduce(half, data, data, Reduction::Kind::maximum);
    allreduce(c, data, data, Reduction::Kind::maximum);
  };
}

/// Every rank puts to and gets from all other ranks, each at its own offset.
Round windows(const Communicator& c) {
  constexpr std::size_t bytes = 200000;
  const auto ranks = static_cast<std::size_t>(c.size());
  auto window = std::make_shared<Window>(c, bytes * ranks);
  auto mine =
      std::make_shared<std::vector<std::vector<std::byte>>>(ranks, std::vector<std::byte>(bytes));
  return [&c, window, mine, round = 0]() mutable {
    const std::size_t place = bytes * static_cast<std::size_t>(c.rank());
    for (int peer = 0; peer < c.size(); ++peer) {
      auto& buffer = (*mine)[static_cast<std::size_t>(peer)];
      (round + peer) % 2 == 0 ? static_cast<void>(window->get(buffer, peer, place))
                              : window->put(buffer, peer, place);
    }
    window->flush();
    // Shared memory stays accessible without its owner: only a fence needs the other ranks.
    if (++round % 10 == 0) window->fence();
  };
}

/// The data of a multiplication that is planned once and runs many times.
struct Product {
  Product(const Communicator& c, const MultiplyOptions& options)
      : A(c, block(c)),
        B(c, block(c)),
        C(c, block(c)),
        plan(c, {A.layout(), Op::none, B.layout(), Op::none, C.layout()},
             LocalGemm::open(c.environment(), 1), options) {
    A.fill_random(1);
    B.fill_random(2);
  }
  static Layout block(const Communicator& c) {
    constexpr std::int64_t extent = 600;
    return Layout::block(extent, extent, GridShape(c.size(), 1));
  }

  Matrix<double> A, B, C;
  MultiplicationPlan<double> plan;
};

auto multiplications(MultiplicationAlgorithm algorithm, Sidedness sides) {
  return [=](const Communicator& c) -> Round {
    MultiplyOptions options;
    options.algorithm = algorithm;
    options.sides = sides;
    auto product = std::make_shared<Product>(c, options);
    return [product] { product->plan.run(1.0, product->A, product->B, 0.0, product->C); };
  };
}

Round factorisations(const Communicator& c) {
  auto A = std::make_shared<Matrix<double>>(c, Product::block(c));
  A->fill_random(1);
  return [A, kernels = LocalKernels::open(c.environment(), 1)] { factorise(*A, kernels); };
}

/// @param file  its extension, and a dataset's name where it has some.
auto writes(const std::string& file) {
  return [file](const Communicator& c, const std::filesystem::path& folder) -> Round {
    auto A = std::make_shared<Matrix<double>>(c, Product::block(c));
    A->fill_random(1);
    write_matrix((folder / "whole").string() + file, *A);
    return [A, path = (folder / "result").string() + file] { write_matrix(path, *A); };
  };
}

/// An operation without files.
Operation in_memory(std::function<Round(const Communicator&)> make) {
  return [make = std::move(make)](const Communicator& c, const std::filesystem::path&) {
    return make(c);
  };
}

}  // namespace

const std::map<std::string, Operation>& fault_operations() {
  using Algorithm = MultiplicationAlgorithm;
  static const std::map<std::string, Operation> operations = {
      {"allreduce", in_memory(allreduces)},
      {"broadcast", in_memory(broadcasts)},
      {"alltoall", in_memory(alltoalls)},
      {"exchange", in_memory(exchanges)},
      {"groups", in_memory(groups)},
      {"windows", in_memory(windows)},
      {"shrink", in_memory(allreduces)},  // the survivors then run all-reduces
      {"summa", in_memory(multiplications(Algorithm::summa, Sidedness::two_sided))},
      {"srumma", in_memory(multiplications(Algorithm::srumma, Sidedness::one_sided))},
      {"carma", in_memory(multiplications(Algorithm::carma, Sidedness::one_sided))},
      {"cosma", in_memory(multiplications(Algorithm::cosma, Sidedness::one_sided))},
      {"lu", in_memory(factorisations)},
      {"write .npy", writes(".npy")},
      {"write .mtx", writes(".mtx")},
      {"write .h5", writes(".h5:/A")},
  };
  return operations;
}

}  // namespace cuboid::bench
