#include "bindings/python/handles.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include <pybind11/stl.h>

namespace cuboid::detail::python {

namespace {

Communicator owned(cuboid::Communicator communicator) {
  return {"communicator", cuboid_communicator_s{std::move(communicator)}};
}

/// Takes over the communicator that a function of the C interface has made.
Communicator taken(cuboid_communicator made) {
  const std::unique_ptr<cuboid_communicator_s> handle(made);
  return owned(std::move(handle->communicator));
}

/// A communicator in whose waits the main thread handles Python's signals: a signal such as Ctrl-C
/// ends the wait.
Communicator heeding_signals(Communicator world) {
  const auto look = [next = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw Raised(py::error_already_set());
  };
  of(world).state().engine->interrupt_by(look);
  return world;
}

Communicator from_mpi(int handle) {
  cuboid_communicator made = nullptr;
  run_without_gil(cuboid_communicator_from_mpi_fortran, handle, &made);
  return heeding_signals(taken(made));
}

Communicator from_pmix() {
  cuboid_communicator made = nullptr;
  run_without_gil(cuboid_communicator_from_pmix, &made);
  return heeding_signals(taken(made));
}

/// Gathers bytes by a Python function: exchange(bytes) returns a list of bytes, by rank.
struct Exchange {
  py::function function;
  std::size_t ranks;

  py::list parts_of(const void* mine, std::size_t bytes) const {
    const py::object answer = function(py::bytes(static_cast<const char*>(mine), bytes));
    py::list parts(answer);
    if (parts.size() != ranks) {
      throw py::value_error("exchange: it returned " + std::to_string(parts.size()) +
                            " parts; return one of each of the " + std::to_string(ranks) +
                            " ranks, by rank");
    }
    return parts;
  }

  static int gather(const void* mine, std::size_t bytes, void* all, void* context) {
    const auto& self = *static_cast<const Exchange*>(context);
    const py::gil_scoped_acquire held;
    try {
      auto* to = static_cast<char*>(all);
      for (const py::handle part : self.parts_of(mine, bytes)) {
        const std::string_view text = py::bytes(py::reinterpret_borrow<py::object>(part));
        if (text.size() != bytes) {
          throw py::value_error("exchange: a part has " + std::to_string(text.size()) +
                                " bytes where every rank gave " + std::to_string(bytes));
        }
        std::memcpy(to, text.data(), bytes);
        to += bytes;
      }
      return 0;
    } catch (const py::error_already_set& error) {
      static_cast<void>(Raised(error));  // check() raises it
    } catch (const py::builtin_exception& error) {
      error.set_error();
      static_cast<void>(Raised(py::error_already_set()));
    }
    return 1;
  }
};

Communicator from_exchange(int rank, int size, py::function function) {
  Exchange exchange{std::move(function), static_cast<std::size_t>(std::max(size, 0))};
  cuboid_communicator made = nullptr;
  run_without_gil(cuboid_communicator_create, rank, size, &Exchange::gather,
                  static_cast<void*>(&exchange), &made);
  return heeding_signals(taken(made));
}

/// Ranks as threads that run a Python function. The thread that waits for them handles signals. If
/// a handler raises an exception, as the handler of Ctrl-C does, the exception is raised in all of
/// these threads.
class Threads {
 public:
  Threads(int ranks, py::function body) : ranks_(ranks), body_(std::move(body)) {}

  void run() {
    std::optional<py::error_already_set> raised;
    try {
      const py::gil_scoped_release released;
      auto end = std::async(std::launch::async, [this] {
        cuboid::run_ranks(ranks_, [this](cuboid::Communicator& ranks) { run_rank(ranks); });
      });
      while (end.wait_for(between_looks) != std::future_status::ready) look(raised);
      end.get();
    } catch (const std::exception&) {
      if (!raised) throw;
    }
    if (raised) throw py::error_already_set(*raised);
  }

 private:
  static constexpr std::chrono::milliseconds between_looks{50};

  void look(std::optional<py::error_already_set>& raised) {
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return;
    raised.emplace();
    interrupted_ = true;
    for (const unsigned long thread : threads_)
      PyThreadState_SetAsyncExc(thread, raised->type().ptr());
  }

  void run_rank(cuboid::Communicator& ranks) {
    ranks.state().engine->interrupt_by([this] {
      if (interrupted_) throw Error(ErrorCode::peer_failed, "the program was interrupted");
    });
    const py::gil_scoped_acquire held;
    const auto thread = PyThread_get_thread_ident();
    threads_.insert(thread);
    // The communicator is freed when the rank ends. If Python keeps it and uses it later, an error
    // tells that.
    py::object mine = py::cast(owned(ranks));
    std::optional<Raised> raised;
    try {
      body_(mine);
    } catch (const py::error_already_set& error) {
      raised.emplace(error);
    }
    threads_.erase(thread);
    mine.cast<Communicator&>().free();
    if (raised) throw Raised(*raised);
  }

  int ranks_;
  py::function body_;
  std::atomic<bool> interrupted_ = false;
  std::set<unsigned long> threads_;  // under the GIL
};

void run_ranks(int ranks, py::function body) {
  Threads(ranks, std::move(body)).run();
}

std::vector<std::pair<int, bool>> shape_of(Communicator& communicator) {
  int dimensions = 0;
  int extents[CUBOID_MAX_DIMENSIONS];
  int wraps[CUBOID_MAX_DIMENSIONS];
  check(cuboid_topology_shape(handle_of(communicator), &dimensions, extents, wraps));
  std::vector<std::pair<int, bool>> axes;
  for (int axis = 0; axis < dimensions; ++axis) axes.emplace_back(extents[axis], wraps[axis] != 0);
  return axes;
}

std::vector<int> coordinate_of(Communicator& communicator, int rank) {
  std::vector<int> coordinate(shape_of(communicator).size());
  int numbers[CUBOID_MAX_DIMENSIONS];
  check(cuboid_topology_coordinate(handle_of(communicator), rank, numbers));
  std::copy_n(numbers, coordinate.size(), coordinate.begin());
  return coordinate;
}

Communicator line(Communicator& communicator, int axis) {
  cuboid_communicator made = nullptr;
  run_without_gil(cuboid_topology_line, handle_of(communicator), axis, &made);
  return taken(made);
}

py::tuple traffic(const Communicator& communicator, const std::optional<int>& peer) {
  const auto ranks = of(communicator);
  const Traffic of_it = without_gil([&] { return peer ? ranks.traffic(*peer) : ranks.traffic(); });
  return py::make_tuple(of_it.bytes_sent, of_it.bytes_received, of_it.messages_sent,
                        of_it.messages_received);
}

/// A rank that joins no part gets None.
std::optional<Communicator> split(const Communicator& communicator, int colour, int key) {
  const auto ranks = of(communicator);
  auto part = without_gil([&] { return ranks.split(colour, key); });
  if (!part.valid()) return std::nullopt;
  return owned(std::move(part));
}

py::ssize_t bytes_in(const py::array& array) {
  return array.size() * bytes_of(array.dtype());
}

/// The stream that an array names. One that only DLPack describes is told that the default stream
/// waits for what writes it.
OnStream stream_of_window_array(const py::object& mine) {
  let_stream_wait(OnStream(), mine);
  return stream_of_array(mine);
}

void put(Window& handle, const py::object& mine, int peer, std::size_t offset) {
  const py::array array = array_anywhere(mine, "the memory to put");
  const auto* const first = static_cast<const std::byte*>(to_read(array).data);
  const std::span<const std::byte> bytes(first, static_cast<std::size_t>(bytes_in(array)));
  const auto shared = handle.get();
  const OnStream after = stream_of_window_array(mine);
  without_gil([&] { shared->window.put(bytes, peer, offset, after); });
  handle.uses().push_back(mine);
}

void get(Window& handle, const py::object& mine, int peer, std::size_t offset) {
  const py::array array = array_anywhere(mine, "the memory to get");
  auto* const first = static_cast<std::byte*>(to_write(array).data);
  const std::span<std::byte> bytes(first, static_cast<std::size_t>(bytes_in(array)));
  const auto shared = handle.get();
  const OnStream after = stream_of_window_array(mine);
  without_gil([&] { shared->window.get(bytes, peer, offset, after); });
  handle.uses().push_back(mine);
}

py::array memory(Window& handle) {
  const auto shared = handle.get();
  const auto local = shared->window.local();
  return py::array(py::dtype("u1"), {static_cast<py::ssize_t>(local.size())}, {py::ssize_t{1}},
                   local.data(), py::cast(Window("window", shared)));
}

void free_window(Window& handle) {
  if (handle.is_freed()) return;
  if (const auto shared = handle.get(); shared.use_count() > 2) {  // arrays of its memory exist
    without_gil([&] { shared->window.fence(); });
    shared->synchronised = true;
  }
  handle.free();
}

/// Frees the window after an exception, of which the other ranks may not know.
void free_window_alone(Window& handle) {
  if (handle.is_freed()) return;
  handle.get()->synchronised = true;
  handle.free();
}

/// Waits for puts and gets.
template <void (cuboid::Window::*wait)()>
void complete(Window& handle) {
  const auto shared = handle.get();
  without_gil([&] { (shared->window.*wait)(); });
  handle.uses().clear();
}

void define_windows(py::module_& module) {
  py::class_<Window>(module, "Window")
      .def(py::init([](const Communicator& communicator, std::size_t bytes,
                       std::optional<int> device) {
        const auto ranks = of(communicator);
        return Window("window", without_gil([&] {
                        return std::make_shared<SharedWindow>(cuboid::Window(ranks, bytes, device));
                      }));
      }))
      .def("free", &free_window)
      .def("free_alone", &free_window_alone)
      .def("is_freed", &Window::is_freed)
      .def("memory", &memory)
      .def("put", &put)
      .def("get", &get)
      .def("flush", &complete<&cuboid::Window::flush>)
      .def("fence", &complete<&cuboid::Window::fence>);
}

}  // namespace

void define_communicators(py::module_& module) {
  py::class_<Communicator> communicator(module, "Communicator");
  communicator.def_static("from_mpi", &from_mpi)
      .def_static("from_pmix", &from_pmix)
      .def_static("from_exchange", &from_exchange)
      .def("free", &Communicator::free)
      .def("is_freed", &Communicator::is_freed)
      .def("rank", [](const Communicator& c) { return of(c).rank(); })
      .def("size", [](const Communicator& c) { return of(c).size(); })
      .def("split", &split)
      .def("duplicate",
           [](const Communicator& c) {
             const auto ranks = of(c);
             return owned(without_gil([&] { return ranks.duplicate(); }));
           })
      .def("shrink",
           [](const Communicator& c) {
             const auto ranks = of(c);
             return owned(without_gil([&] { return ranks.shrink(); }));
           })
      .def("with_algorithms",
           [](const Communicator& c, const std::string& rules) {
             return owned(of(c).with_algorithms(rules));
           })
      .def("on",
           [](const Communicator& c, std::uintptr_t stream) {
             Communicator made = owned(of(c));
             made.get().stream = on(reinterpret_cast<void*>(stream));
             return made;
           })
      .def("revoke",
           [](const Communicator& c, const std::string& reason) {
             const auto ranks = of(c);
             without_gil([&] { ranks.revoke(reason); });
           })
      .def("give_up",
           [](const Communicator& c, const std::string& reason) {
             const auto ranks = of(c);
             without_gil([&] { ranks.give_up(reason); });
           })
      .def("progress",
           [](const Communicator& c) {
             const auto ranks = of(c);
             without_gil([&] { ranks.progress(); });
           })
      .def("traffic", &traffic)
      .def("shape", &shape_of)
      .def("coordinate", &coordinate_of)
      .def("line", &line)
      .def("same_node", [](const Communicator& c, int rank) { return of(c).same_node(rank); });
  define_collectives(module, communicator);
  define_windows(module);
  module.def("run_ranks", &run_ranks);
  module.def("version", &cuboid_version);
}

}  // namespace cuboid::detail::python
