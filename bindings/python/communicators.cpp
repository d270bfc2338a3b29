#include "bindings/python/handles.hpp"

#include <cstring>
#include <exception>

#include <pybind11/stl.h>

namespace cuboid::detail::python {

namespace {

/// The communicator that a function of the C interface makes of another.
template <class Function, class... Arguments>
Communicator made(Function function, Arguments... arguments) {
  Communicator communicator;
  without_gil(function, arguments..., &communicator.handle);
  return communicator;
}

/// Gathers bytes by a Python function: exchange(bytes) -> list of bytes, by rank.
struct Exchange {
  py::function function;
  std::exception_ptr error = nullptr;

  static int gather(const void* mine, std::size_t bytes, void* all, void* context) {
    auto& self = *static_cast<Exchange*>(context);
    const py::gil_scoped_acquire held;
    try {
      const py::sequence parts =
          self.function(py::bytes(static_cast<const char*>(mine), bytes)).cast<py::sequence>();
      auto* to = static_cast<char*>(all);
      for (const py::handle part : parts) {
        const auto text = part.cast<std::string>();
        if (text.size() != bytes) throw py::value_error("exchange: parts of different lengths");
        std::memcpy(to, text.data(), bytes);
        to += bytes;
      }
      return 0;
    } catch (...) {
      self.error = std::current_exception();
      return 1;
    }
  }
};

Communicator from_exchange(int rank, int size, py::function function) {
  Exchange exchange{std::move(function)};
  Communicator communicator;
  int code = CUBOID_SUCCESS;
  {
    const py::gil_scoped_release released;
    code =
        cuboid_communicator_create(rank, size, &Exchange::gather, &exchange, &communicator.handle);
  }
  if (exchange.error) std::rethrow_exception(exchange.error);
  check(code);
  return communicator;
}

/// A body run on threads. run_ranks() raises the first Python exception.
struct Body {
  py::function function;
  std::exception_ptr error = nullptr;

  static int run(cuboid_communicator communicator, void* context) {
    auto& self = *static_cast<Body*>(context);
    const py::gil_scoped_acquire held;
    // Cuboid frees the communicator; Python's object has no handle afterwards.
    const py::object ranks = py::cast(Communicator(communicator));
    int code = 0;
    try {
      self.function(ranks);
    } catch (...) {
      if (!self.error) self.error = std::current_exception();
      code = 1;
    }
    ranks.cast<Communicator&>().handle = nullptr;
    return code;
  }
};

void run_ranks(int ranks, py::function function) {
  Body body{std::move(function)};
  int code = CUBOID_SUCCESS;
  {
    const py::gil_scoped_release released;
    code = cuboid_run_ranks(ranks, &Body::run, &body);
  }
  if (body.error) std::rethrow_exception(body.error);
  check(code);
}

int number_of(int (*function)(cuboid_communicator, int*), const Communicator& communicator) {
  int number = -1;
  check(function(communicator.handle, &number));
  return number;
}

std::vector<std::pair<int, bool>> shape_of(const Communicator& communicator) {
  int dimensions = 0;
  int extents[CUBOID_MAX_DIMENSIONS];
  int wraps[CUBOID_MAX_DIMENSIONS];
  check(cuboid_topology_shape(communicator.handle, &dimensions, extents, wraps));
  std::vector<std::pair<int, bool>> axes;
  for (int axis = 0; axis < dimensions; ++axis) axes.emplace_back(extents[axis], wraps[axis] != 0);
  return axes;
}

std::vector<int> coordinate_of(const Communicator& communicator, int rank) {
  std::vector<int> coordinate(shape_of(communicator).size());
  int numbers[CUBOID_MAX_DIMENSIONS];
  check(cuboid_topology_coordinate(communicator.handle, rank, numbers));
  std::copy_n(numbers, coordinate.size(), coordinate.begin());
  return coordinate;
}

bool same_node(const Communicator& communicator, int rank) {
  int same = 0;
  check(cuboid_topology_same_node(communicator.handle, rank, &same));
  return same != 0;
}

py::tuple traffic(const Communicator& communicator, int peer) {
  cuboid_traffic of{};
  check(cuboid_communicator_traffic(communicator.handle, peer, &of));
  return py::make_tuple(of.bytes_sent, of.bytes_received, of.messages_sent, of.messages_received);
}

/// A rank in no part gets no handle.
std::optional<Communicator> split(const Communicator& communicator, int colour, int key) {
  Communicator part = made(cuboid_communicator_split, communicator.handle, colour, key);
  if (part.handle == nullptr) return std::nullopt;
  return part;
}

bool test(Request& request) {
  if (request.handle == nullptr) return true;
  int complete = 0;
  without_gil(cuboid_test, &request.handle, &complete);
  if (complete != 0) request.uses.clear();
  return complete != 0;
}

void define_windows(py::module_& module) {
  py::class_<Window>(module, "Window")
      .def(py::init([](const Communicator& communicator, std::size_t bytes) {
             Window window;
             without_gil(cuboid_window_create, bytes, communicator.handle, &window.handle);
             return window;
           }),
           py::keep_alive<1, 2>())
      .def("free", &Window::free)
      .def("memory",
           [](const py::object& self) {
             void* memory = nullptr;
             std::size_t bytes = 0;
             check(cuboid_window_memory(self.cast<Window&>().handle, &memory, &bytes));
             return py::array(py::dtype("u1"), {bytes}, memory, self);
           })
      .def("put",
           [](Window& window, const py::array& mine, int peer, std::size_t offset) {
             const Array a = array_to_read(mine);
             check(cuboid_window_put(a.data, static_cast<std::size_t>(mine.nbytes()), peer, offset,
                                     window.handle));
             window.uses.push_back(mine);
           })
      .def("get",
           [](Window& window, const py::array& mine, int peer, std::size_t offset) {
             const Array a = array_to_write(mine);
             check(cuboid_window_get(a.data, static_cast<std::size_t>(mine.nbytes()), peer, offset,
                                     window.handle));
             window.uses.push_back(mine);
           })
      .def("flush",
           [](Window& window) {
             without_gil(cuboid_window_flush, window.handle);
             window.uses.clear();
           })
      .def("fence", [](Window& window) {
        without_gil(cuboid_window_fence, window.handle);
        window.uses.clear();
      });
}

}  // namespace

void define_communicators(py::module_& module) {
  py::class_<Request>(module, "Request").def("wait", &Request::free).def("test", &test);
  py::class_<Plan>(module, "Plan")
      .def("run", [](Plan& plan) { without_gil(cuboid_plan_run, plan.handle); })
      .def("start",
           [](const py::object& self) {
             cuboid_request request = nullptr;
             without_gil(cuboid_plan_start, self.cast<Plan&>().handle, &request);
             return Request(request, {self});
           })
      .def("algorithm",
           [](const Plan& plan) {
             const char* name = nullptr;
             check(cuboid_plan_algorithm(plan.handle, &name));
             return std::string(name);
           })
      .def("free", &Plan::free);
  py::class_<Neighbourhood>(module, "Neighbourhood")
      .def_static(
          "graph",
          [](const std::vector<int>& sources, const std::vector<int>& destinations) {
            Neighbourhood links;
            links.sources = sources.size();
            links.destinations = destinations.size();
            check(cuboid_neighbourhood_graph(sources.size(), sources.data(), destinations.size(),
                                             destinations.data(), &links.handle));
            return links;
          })
      .def_static(
          "grid", [](const std::vector<int>& extents, const std::vector<int>& wraps, int rank) {
            if (extents.size() != wraps.size())
              throw py::value_error("a grid: give as many axes that wrap as extents");
            Neighbourhood links;
            links.sources = links.destinations = 2 * extents.size();
            check(cuboid_neighbourhood_grid(static_cast<int>(extents.size()), extents.data(),
                                            wraps.data(), rank, &links.handle));
            return links;
          });

  py::class_<Communicator> communicator(module, "Communicator");
  communicator
      .def_static("from_mpi",
                  [](int handle) { return made(cuboid_communicator_from_mpi_fortran, handle); })
      .def_static("from_exchange", &from_exchange)
      .def("free", &Communicator::free)
      .def("rank", [](const Communicator& c) { return number_of(cuboid_communicator_rank, c); })
      .def("size", [](const Communicator& c) { return number_of(cuboid_communicator_size, c); })
      .def("split", &split)
      .def("duplicate",
           [](const Communicator& c) { return made(cuboid_communicator_duplicate, c.handle); })
      .def("shrink",
           [](const Communicator& c) { return made(cuboid_communicator_shrink, c.handle); })
      .def("with_algorithms",
           [](const Communicator& c, const std::string& rules) {
             return made(cuboid_communicator_with_algorithms, c.handle, rules.c_str());
           })
      .def("revoke",
           [](const Communicator& c, const std::string& reason) {
             check(cuboid_communicator_revoke(c.handle, reason.c_str()));
           })
      .def("progress",
           [](const Communicator& c) { without_gil(cuboid_communicator_progress, c.handle); })
      .def("traffic", &traffic)
      .def("shape", &shape_of)
      .def("coordinate", &coordinate_of)
      .def("line", [](const Communicator& c,
                      int axis) { return made(cuboid_topology_line, c.handle, axis); })
      .def("same_node", &same_node);
  define_collectives(communicator);
  define_windows(module);
  module.def("run_ranks", &run_ranks);
  module.def("version", &cuboid_version);
}

}  // namespace cuboid::detail::python
