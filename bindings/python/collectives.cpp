#include "bindings/c/in_form.hpp"
#include "bindings/python/handles.hpp"

#include <pybind11/stl.h>

// The collectives as Python calls them: input and output arrays, and the form: blocking (0),
// started (1) or planned (2).

namespace cuboid::detail::python {

namespace {

enum { now = 0, started = 1, planned = 2 };

int rank_of(const Communicator& communicator) {
  int rank = -1;
  check(cuboid_communicator_rank(communicator.handle, &rank));
  return rank;
}

std::size_t size_of(const Communicator& communicator) {
  int size = 0;
  check(cuboid_communicator_size(communicator.handle, &size));
  return static_cast<std::size_t>(size);
}

/// Calls `call` in the requested form. Requests and plans keep references to what they use.
template <class Call>
py::object in_form(int form, std::vector<py::object> uses, const Call& call) {
  cuboid_request request = nullptr;
  cuboid_plan plan = nullptr;
  cuboid::detail::Form wanted;
  if (form == started) wanted.request = &request;
  if (form == planned) wanted.plan = &plan;
  without_gil([&] { return call(wanted); });
  if (form == started) return py::cast(Request(request, std::move(uses)));
  if (form == planned) return py::cast(Plan(plan, std::move(uses)));
  return py::none();
}

using Self = const py::object&;

const Communicator& of(Self self) {
  return self.cast<const Communicator&>();
}

py::object barrier(Self self, int form) {
  const cuboid_communicator ranks = of(self).handle;
  return in_form(form, {self}, [&](const auto& f) { return CUBOID_IN_FORM(f, barrier, ranks); });
}

py::object broadcast(Self self, const py::array& buffer, int root, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array a = rank_of(of(self)) == root ? array_to_read(buffer) : array_to_write(buffer);
  return in_form(form, {self, buffer}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, broadcast, a.data, a.count, a.type, root, ranks);
  });
}

py::object reduce(Self self, const py::array& input, const std::optional<py::array>& output,
                  py::object operation, int root, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const cuboid_reduction combine = operation.cast<Operation&>().of(input.dtype());
  const Array in = array_to_read(input);
  void* to = nullptr;
  std::vector<py::object> uses = {self, input, operation};
  if (output) {
    const Sides sides = sides_of(input, *output);
    require_room(sides.output, in.count, "the output");
    to = sides.output.data;
    uses.push_back(*output);
  }
  return in_form(form, uses, [&](const auto& f) {
    return CUBOID_IN_FORM(f, reduce, in.data, to, in.count, in.type, combine, root, ranks);
  });
}

/// All-reduce and the scans have the same arguments.
#define CUBOID_PYTHON_ALL(name)                                                                 \
  py::object name(Self self, const py::array& input, const py::array& output,                   \
                  py::object operation, int form) {                                             \
    const cuboid_communicator ranks = of(self).handle;                                          \
    const auto [in, out] = sides_of(input, output);                                             \
    const cuboid_reduction combine = operation.cast<Operation&>().of(input.dtype());            \
    require_room(out, in.count, "the output");                                                  \
    return in_form(                                                                             \
        form, {self, input, output, operation}, [&, in = in, out = out](const auto& f) {        \
          return CUBOID_IN_FORM(f, name, in.data, out.data, in.count, in.type, combine, ranks); \
        });                                                                                     \
  }
CUBOID_PYTHON_ALL(allreduce)
CUBOID_PYTHON_ALL(scan)
CUBOID_PYTHON_ALL(exscan)

py::object reduce_scatter(Self self, const py::array& input, const py::array& output,
                          const Counts& counts, py::object operation, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Sides sides = sides_of(input, output);
  const Array& in = sides.input;
  void* const to = sides.output.data;
  const cuboid_reduction combine = operation.cast<Operation&>().of(input.dtype());
  const std::vector<py::object> uses = {self, input, output, operation};
  if (counts) {
    require_room(in, extent(counts, {}, size_of(of(self))), "the input");
    require_room(sides.output, counts->at(static_cast<std::size_t>(rank_of(of(self)))),
                 "the output");
    return in_form(form, uses, [&](const auto& f) {
      return CUBOID_IN_FORM(f, reduce_scatterv, in.data, to, counts->data(), in.type, combine,
                            ranks);
    });
  }
  const std::size_t block = in.count / size_of(of(self));
  require_room(sides.output, block, "the output");
  return in_form(form, uses, [&](const auto& f) {
    return CUBOID_IN_FORM(f, reduce_scatter, in.data, to, block, in.type, combine, ranks);
  });
}

py::object allgather(Self self, const py::array& input, const py::array& output,
                     const Counts& counts, const Counts& displacements, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Sides sides = sides_of(input, output);
  const Array& in = sides.input;
  void* const to = sides.output.data;
  if (counts) {
    require_room(sides.output, extent(counts, displacements, size_of(of(self))), "the output");
    require_room(in, counts->at(static_cast<std::size_t>(rank_of(of(self)))), "the input");
    return in_form(form, {self, input, output}, [&](const auto& f) {
      return CUBOID_IN_FORM(f, allgatherv, in.data, in.type, to, counts->data(),
                            pointer(displacements), ranks);
    });
  }
  require_room(sides.output, in.count * size_of(of(self)), "the output");
  return in_form(form, {self, input, output}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, allgather, in.data, in.count, in.type, to, ranks);
  });
}

py::object gather(Self self, const py::array& input, const std::optional<py::array>& output,
                  const Counts& counts, const Counts& displacements, int root, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array in = array_to_read(input);
  void* to = nullptr;
  std::vector<py::object> uses = {self, input};
  if (output) {
    const Sides sides = sides_of(input, *output);
    require_room(
        sides.output,
        counts ? extent(counts, displacements, size_of(of(self))) : in.count * size_of(of(self)),
        "the output");
    to = sides.output.data;
    uses.push_back(*output);
  }
  return in_form(form, uses, [&](const auto& f) {
    return counts ? CUBOID_IN_FORM(f, gatherv, in.data, in.count, in.type, to, counts->data(),
                                   pointer(displacements), root, ranks)
                  : CUBOID_IN_FORM(f, gather, in.data, in.count, in.type, to, root, ranks);
  });
}

py::object scatter(Self self, const std::optional<py::array>& input, const py::array& output,
                   const Counts& counts, const Counts& displacements, int root, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array out = array_to_write(output);
  const void* from = nullptr;
  std::vector<py::object> uses = {self, output};
  if (input) {
    const Sides sides = sides_of(*input, output);
    require_room(
        sides.input,
        counts ? extent(counts, displacements, size_of(of(self))) : out.count * size_of(of(self)),
        "the input");
    from = sides.input.data;
    uses.push_back(*input);
  }
  return in_form(form, uses, [&](const auto& f) {
    return counts ? CUBOID_IN_FORM(f, scatterv, from, counts->data(), pointer(displacements),
                                   out.data, out.count, out.type, root, ranks)
                  : CUBOID_IN_FORM(f, scatter, from, out.data, out.count, out.type, root, ranks);
  });
}

py::object alltoall(Self self, const py::array& input, const py::array& output,
                    const Counts& input_counts, const Counts& input_displacements,
                    const Counts& output_counts, const Counts& output_displacements, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Sides sides = sides_of(input, output);
  const Array& in = sides.input;
  const Array& out = sides.output;
  if (input_counts && output_counts) {
    require_room(in, extent(input_counts, input_displacements, size_of(of(self))), "the input");
    require_room(out, extent(output_counts, output_displacements, size_of(of(self))), "the output");
    return in_form(form, {self, input, output}, [&](const auto& f) {
      return CUBOID_IN_FORM(f, alltoallv, in.data, pointer(input_counts),
                            pointer(input_displacements), out.data, pointer(output_counts),
                            pointer(output_displacements), in.type, ranks);
    });
  }
  require_room(out, in.count, "the output");
  const std::size_t block = in.count / size_of(of(self));
  return in_form(form, {self, input, output}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, alltoall, in.data, out.data, block, in.type, ranks);
  });
}

py::object neighbour_allgather(Self self, const py::object& neighbours, const py::array& input,
                               const py::array& output, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const auto& to = neighbours.cast<const Neighbourhood&>();
  const auto [in, out] = sides_of(input, output);
  require_room(out, in.count * to.sources, "the output");
  return in_form(form, {self, neighbours, input, output},
                 [&, in = in, out = out, links = to.handle](const auto& f) {
                   return CUBOID_IN_FORM(f, neighbour_allgather, in.data, in.count, in.type,
                                         out.data, links, ranks);
                 });
}

py::object neighbour_alltoall(Self self, const py::object& neighbours, const py::array& input,
                              const py::array& output, std::size_t block, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const auto& to = neighbours.cast<const Neighbourhood&>();
  const auto [in, out] = sides_of(input, output);
  require_room(in, block * to.destinations, "the input");
  require_room(out, block * to.sources, "the output");
  return in_form(form, {self, neighbours, input, output},
                 [&, in = in, out = out, links = to.handle](const auto& f) {
                   return CUBOID_IN_FORM(f, neighbour_alltoall, in.data, out.data, block, in.type,
                                         links, ranks);
                 });
}

py::object neighbour_alltoallv(Self self, const py::object& neighbours, const py::array& input,
                               const py::array& output, const Counts& input_counts,
                               const Counts& input_displacements, const Counts& output_counts,
                               const Counts& output_displacements, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const auto& to = neighbours.cast<const Neighbourhood&>();
  const auto [in, out] = sides_of(input, output);
  require_room(in, extent(input_counts, input_displacements, to.destinations), "the input");
  require_room(out, extent(output_counts, output_displacements, to.sources), "the output");
  return in_form(form, {self, neighbours, input, output},
                 [&, in = in, out = out, links = to.handle](const auto& f) {
                   return CUBOID_IN_FORM(f, neighbour_alltoallv, in.data, pointer(input_counts),
                                         pointer(input_displacements), out.data,
                                         pointer(output_counts), pointer(output_displacements),
                                         in.type, links, ranks);
                 });
}

py::object send(Self self, const py::array& message, int destination, int number, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array a = array_to_read(message);
  return in_form(form, {self, message}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, send, a.data, a.count, a.type, destination, number, ranks);
  });
}

py::object receive(Self self, const py::array& message, int source, int number, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array a = array_to_write(message);
  return in_form(form, {self, message}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, receive, a.data, a.count, a.type, source, number, ranks);
  });
}

py::object exchange(Self self, const py::array& outgoing, int destination,
                    const py::array& incoming, int source, int number, int form) {
  const cuboid_communicator ranks = of(self).handle;
  const Array out = array_to_read(outgoing);
  const Array in = array_to_write(incoming);
  return in_form(form, {self, outgoing, incoming}, [&](const auto& f) {
    return CUBOID_IN_FORM(f, exchange, out.data, out.count, destination, in.data, in.count, source,
                          in.type, number, ranks);
  });
}

}  // namespace

void define_collectives(py::class_<Communicator>& communicator) {
  communicator.def("barrier", &barrier)
      .def("broadcast", &broadcast)
      .def("reduce", &reduce)
      .def("allreduce", &allreduce)
      .def("scan", &scan)
      .def("exscan", &exscan)
      .def("reduce_scatter", &reduce_scatter)
      .def("allgather", &allgather)
      .def("gather", &gather)
      .def("scatter", &scatter)
      .def("alltoall", &alltoall)
      .def("neighbour_allgather", &neighbour_allgather)
      .def("neighbour_alltoall", &neighbour_alltoall)
      .def("neighbour_alltoallv", &neighbour_alltoallv)
      .def("send", &send)
      .def("receive", &receive)
      .def("exchange", &exchange);
}

}  // namespace cuboid::detail::python
