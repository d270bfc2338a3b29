#include <cuboid/collectives.hpp>
#include <cuboid/neighbourhood.hpp>
#include <cuboid/point_to_point.hpp>

#include "bindings/python/handles.hpp"

#include <pybind11/stl.h>

// The collectives in the form in which Python calls them: input and output arrays, and the form in
// which to run. The library is told the length of each array, so it checks lengths, types and
// ranks.

namespace cuboid::detail::python {

namespace {

enum class Form { now, started, planned };

/// The stream that a call begins after: the communicator's, or else the one that its arrays name.
/// It waits for arrays that name none. Throws ValueError if they name two.
OnStream stream_of_call(const Uses& uses) {
  OnStream stream = stream_of(uses.front().cast<const Communicator&>());
  const bool given = stream.given();
  for (const py::object& used : uses) {
    const OnStream of_array = given ? OnStream() : stream_of_array(used);
    if (!of_array.given()) continue;
    if (stream.given() && stream.stream() != of_array.stream())
      throw py::value_error("arrays of two streams; use communicator.on(stream)");
    stream = of_array;
  }
  for (const py::object& used : uses) let_stream_wait(stream, used);
  return stream;
}

/// Runs, starts or plans a call. Requests and plans keep references to the objects that they use.
/// The first of them is the communicator.
template <class Now, class Start, class MakePlan>
py::object in_form(Form form, Uses uses, const Now& now, const Start& start,
                   const MakePlan& make_plan) {
  const OnStream after = stream_of_call(uses);
  const auto started = [&] { return start(after); };
  switch (form) {
    case Form::now:
      if (after.given())
        without_gil([&] { started().wait(); });
      else
        without_gil(now);
      return py::none();
    case Form::started: return py::cast(request_of(without_gil(started), std::move(uses)));
    case Form::planned: break;
  }
  auto plan = without_gil([&] { return std::make_shared<CollectivePlan>(make_plan()); });
  return py::cast(Plan("plan", std::move(plan), std::move(uses)));
}

/// A call of the library in one of its three forms.
#define CUBOID_PYTHON_CALL(form, uses, name, ...)                               \
  in_form(                                                                      \
      form, uses, [&] { cuboid::name(__VA_ARGS__); },                           \
      [&](OnStream after) { return cuboid::start_##name(__VA_ARGS__, after); }, \
      [&] { return cuboid::plan_##name(__VA_ARGS__); })

/// The input and the output of one call. If both have the same memory, the call is in place.
struct Sides {
  py::array in;
  py::array out;
  ConstBuffer input;
  Buffer output;

  Sides(const py::object& from, const py::object& to)
      : in(array_anywhere(from, "the input")),
        out(array_anywhere(to, "the output")),
        input(to_read(in)),
        output(to_write(out)) {
    require_same_order(in, out);
  }
};

std::span<const std::size_t> list(const Counts& counts) {
  if (!counts) return {};
  return *counts;
}

/// Throws ValueError for displacements of blocks that have no counts.
void require_counts(const Counts& counts, const Counts& displacements) {
  if (displacements && !counts) throw py::value_error("displacements without counts; give both");
}

cuboid::Communicator ranks_of(const py::object& self) {
  return of(self.cast<const Communicator&>());
}

Reduction reduction_of(const py::object& operation, const py::array& elements) {
  if (!py::isinstance<PythonOperation>(operation)) {
    throw py::type_error("the operation is of type " +
                         text_of(py::type::of(operation).attr("__name__")) +
                         "; give cuboid.SUM, …, or cuboid.Operation(function)");
  }
  return operation.cast<PythonOperation&>().of(elements.dtype());
}

py::object barrier(const py::object& self, Form form) {
  const auto ranks = ranks_of(self);
  return CUBOID_PYTHON_CALL(form, (Uses{self}), barrier, ranks);
}

py::object broadcast(const py::object& self, const py::object& buffer, int root, Form form) {
  const auto ranks = ranks_of(self);
  const py::array array = array_anywhere(buffer, "the buffer");
  Buffer all;
  if (ranks.rank() == root) {
    const ConstBuffer mine = to_read(array);
    all = Buffer(const_cast<void*>(mine.data), mine.count, mine.type);
  } else {
    all = to_write(array);
  }
  return CUBOID_PYTHON_CALL(form, (Uses{self, buffer}), broadcast, ranks, all, root);
}

py::object reduce(const py::object& self, const py::object& input, const py::object& output,
                  const py::object& operation, int root, Form form) {
  const auto ranks = ranks_of(self);
  const py::array from = array_anywhere(input, "the input");
  const ConstBuffer in = to_read(from);
  Buffer out(nullptr, 0, in.type);
  if (!output.is_none()) out = Sides(input, output).output;
  const Reduction combine = reduction_of(operation, from);
  return CUBOID_PYTHON_CALL(form, (Uses{self, input, output, operation}), reduce, ranks, in, out,
                            combine, root);
}

/// All-reduce and the scans have the same arguments.
#define CUBOID_PYTHON_ALL(name)                                                              \
  py::object name(const py::object& self, const py::object& input, const py::object& output, \
                  const py::object& operation, Form form) {                                  \
    const auto ranks = ranks_of(self);                                                       \
    const Sides sides(input, output);                                                        \
    const Reduction combine = reduction_of(operation, sides.in);                             \
    return CUBOID_PYTHON_CALL(form, (Uses{self, input, output, operation}), name, ranks,     \
                              sides.input, sides.output, combine);                           \
  }
CUBOID_PYTHON_ALL(allreduce)
CUBOID_PYTHON_ALL(scan)
CUBOID_PYTHON_ALL(exscan)

py::object reduce_scatter(const py::object& self, const py::object& input, const py::object& output,
                          const Counts& counts, const py::object& operation, Form form) {
  const auto ranks = ranks_of(self);
  const Sides sides(input, output);
  const Reduction combine = reduction_of(operation, sides.in);
  const Uses uses{self, input, output, operation};
  if (counts) {
    return CUBOID_PYTHON_CALL(form, uses, reduce_scatterv, ranks, sides.input, sides.output,
                              *counts, combine);
  }
  return CUBOID_PYTHON_CALL(form, uses, reduce_scatter, ranks, sides.input, sides.output, combine);
}

py::object allgather(const py::object& self, const py::object& input, const py::object& output,
                     const Counts& counts, const Counts& displacements, Form form) {
  const auto ranks = ranks_of(self);
  const Sides sides(input, output);
  const Uses uses{self, input, output};
  require_counts(counts, displacements);
  if (counts) {
    return CUBOID_PYTHON_CALL(form, uses, allgatherv, ranks, sides.input, sides.output, *counts,
                              list(displacements));
  }
  return CUBOID_PYTHON_CALL(form, uses, allgather, ranks, sides.input, sides.output);
}

py::object gather(const py::object& self, const py::object& input, const py::object& output,
                  const Counts& counts, const Counts& displacements, int root, Form form) {
  const auto ranks = ranks_of(self);
  const ConstBuffer in = to_read(array_anywhere(input, "the input"));
  Buffer out(nullptr, 0, in.type);
  if (!output.is_none()) out = Sides(input, output).output;
  const Uses uses{self, input, output};
  require_counts(counts, displacements);
  if (counts) {
    return CUBOID_PYTHON_CALL(form, uses, gatherv, ranks, in, out, *counts, list(displacements),
                              root);
  }
  return CUBOID_PYTHON_CALL(form, uses, gather, ranks, in, out, root);
}

py::object scatter(const py::object& self, const py::object& input, const py::object& output,
                   const Counts& counts, const Counts& displacements, int root, Form form) {
  const auto ranks = ranks_of(self);
  const Buffer out = to_write(array_anywhere(output, "the output"));
  ConstBuffer in(nullptr, 0, out.type);
  if (!input.is_none()) in = Sides(input, output).input;
  const Uses uses{self, input, output};
  require_counts(counts, displacements);
  if (counts) {
    return CUBOID_PYTHON_CALL(form, uses, scatterv, ranks, in, *counts, list(displacements), out,
                              root);
  }
  return CUBOID_PYTHON_CALL(form, uses, scatter, ranks, in, out, root);
}

/// Throws ValueError if only one side has counts. Returns true if both have.
bool both_counts(const Counts& input, const Counts& input_displacements, const Counts& output,
                 const Counts& output_displacements) {
  require_counts(input, input_displacements);
  require_counts(output, output_displacements);
  if (input.has_value() != output.has_value())
    throw py::value_error("give input_counts and output_counts, or neither");
  return input.has_value();
}

py::object alltoall(const py::object& self, const py::object& input, const py::object& output,
                    const Counts& input_counts, const Counts& input_displacements,
                    const Counts& output_counts, const Counts& output_displacements, Form form) {
  const auto ranks = ranks_of(self);
  const Sides sides(input, output);
  const Uses uses{self, input, output};
  if (!both_counts(input_counts, input_displacements, output_counts, output_displacements))
    return CUBOID_PYTHON_CALL(form, uses, alltoall, ranks, sides.input, sides.output);
  const Blocks send{*input_counts, list(input_displacements)};
  const Blocks receive{*output_counts, list(output_displacements)};
  return CUBOID_PYTHON_CALL(form, uses, alltoallv, ranks, sides.input, send, sides.output, receive);
}

py::object neighbour_allgather(const py::object& self, const py::object& neighbours,
                               const py::object& input, const py::object& output, Form form) {
  const auto ranks = ranks_of(self);
  const auto& links = neighbours.cast<const Neighbourhood&>();
  const Sides sides(input, output);
  return CUBOID_PYTHON_CALL(form, (Uses{self, neighbours, input, output}), neighbour_allgather,
                            ranks, links, sides.input, sides.output);
}

py::object neighbour_alltoall(const py::object& self, const py::object& neighbours,
                              const py::object& input, const py::object& output,
                              const Counts& input_counts, const Counts& input_displacements,
                              const Counts& output_counts, const Counts& output_displacements,
                              Form form) {
  const auto ranks = ranks_of(self);
  const auto& links = neighbours.cast<const Neighbourhood&>();
  const Sides sides(input, output);
  const Uses uses{self, neighbours, input, output};
  if (!both_counts(input_counts, input_displacements, output_counts, output_displacements)) {
    return CUBOID_PYTHON_CALL(form, uses, neighbour_alltoall, ranks, links, sides.input,
                              sides.output);
  }
  const Blocks send{*input_counts, list(input_displacements)};
  const Blocks receive{*output_counts, list(output_displacements)};
  return CUBOID_PYTHON_CALL(form, uses, neighbour_alltoallv, ranks, links, sides.input, send,
                            sides.output, receive);
}

py::object send(const py::object& self, const py::object& message, int destination, int number,
                Form form) {
  const auto ranks = ranks_of(self);
  const ConstBuffer mine = to_read(array_anywhere(message, "the message"));
  return CUBOID_PYTHON_CALL(form, (Uses{self, message}), send, ranks, mine, destination, number);
}

py::object receive(const py::object& self, const py::object& message, int source, int number,
                   Form form) {
  const auto ranks = ranks_of(self);
  const Buffer mine = to_write(array_anywhere(message, "the message"));
  return CUBOID_PYTHON_CALL(form, (Uses{self, message}), receive, ranks, mine, source, number);
}

py::object exchange(const py::object& self, const py::object& outgoing, int destination,
                    const py::object& incoming, int source, int number, Form form) {
  const auto ranks = ranks_of(self);
  const ConstBuffer out = to_read(array_anywhere(outgoing, "the outgoing message"));
  const Buffer in = to_write(array_anywhere(incoming, "the incoming message"));
  return CUBOID_PYTHON_CALL(form, (Uses{self, outgoing, incoming}), exchange, ranks, out,
                            destination, in, source, number);
}

bool test(Request& request) {
  const bool complete = without_gil([&] { return request.get().test(); });
  if (complete) request.uses().clear();
  return complete;
}

/// A run keeps the objects that the plan uses, even if the plan is freed.
Request start(Plan& plan) {
  const std::shared_ptr<CollectivePlan> planned = plan.get();
  const OnStream after = stream_of_call(plan.uses());
  return request_of(without_gil([&] { return planned->start(after); }), plan.uses());
}

void run(Plan& plan) {
  const std::shared_ptr<CollectivePlan> planned = plan.get();
  const Uses uses = plan.uses();
  const OnStream after = stream_of_call(uses);
  without_gil([&] { after.given() ? planned->start(after).wait() : planned->run(); });
}

Neighbourhood grid(const std::vector<int>& extents, const std::vector<bool>& wraps, int rank) {
  if (extents.size() != wraps.size())
    throw py::value_error("a grid: give as many axes that wrap as extents");
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    axes.push_back({extents[axis], wraps[axis]});
  return Neighbourhood::grid(Shape(std::move(axes)), rank);
}

std::vector<int> ranks_of_links(const std::vector<Neighbourhood::NeighbourLink>& links) {
  std::vector<int> ranks;
  for (const auto& link : links) ranks.push_back(link.rank);
  return ranks;
}

}  // namespace

void define_collectives(py::module_& module, py::class_<Communicator>& communicator) {
  py::enum_<Form>(module, "Form")
      .value("now", Form::now)
      .value("started", Form::started)
      .value("planned", Form::planned);
  py::class_<Request>(module, "Request")
      .def("wait",
           [](Request& request) {
             without_gil([&] { request.get().wait(); });
             request.uses().clear();
           })
      .def("wait_on",
           [](Request& request, std::uintptr_t stream) {
             without_gil([&] { request.get().wait(on(reinterpret_cast<void*>(stream))); });
             request.uses().clear();
           })
      .def("test", &test);
  py::class_<Plan>(module, "Plan")
      .def("run", &run)
      .def("start", &start)
      .def("algorithm", [](Plan& plan) { return std::string(plan.get()->algorithm()); })
      .def("is_freed", &Plan::is_freed)
      .def("free", &Plan::free);
  py::class_<Neighbourhood>(module, "Neighbourhood")
      .def_static("graph",
                  [](const std::vector<int>& sources, const std::vector<int>& destinations) {
                    return Neighbourhood::graph(sources, destinations);
                  })
      .def_static("grid", &grid)
      .def("sources", [](const Neighbourhood& links) { return ranks_of_links(links.sources()); })
      .def("destinations",
           [](const Neighbourhood& links) { return ranks_of_links(links.destinations()); });
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
      .def("send", &send)
      .def("receive", &receive)
      .def("exchange", &exchange);
}

}  // namespace cuboid::detail::python
