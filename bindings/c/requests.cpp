#include "bindings/c/handles.hpp"

#include <memory>

using namespace cuboid::detail::c;

int cuboid_wait(cuboid_request* request) {
  return guarded([&] {
    const std::unique_ptr<cuboid_request_s> owned(
        std::exchange(required(request, "the pointer to a request"), nullptr));
    required(owned.get(), "the request").request.wait();
  });
}

int cuboid_wait_on_stream(cuboid_request* request, void* stream) {
  return guarded([&] {
    const std::unique_ptr<cuboid_request_s> owned(
        std::exchange(required(request, "the pointer to a request"), nullptr));
    required(owned.get(), "the request").request.wait(cuboid::on(stream));
  });
}

int cuboid_wait_all(size_t count, cuboid_request* requests) {
  if (count > 0 && requests == nullptr)
    return guarded([] { refuse("the list of requests is NULL"); });
  int first = CUBOID_SUCCESS;
  std::string message;
  for (std::size_t i = 0; i < count; ++i) {
    if (requests[i] == nullptr) continue;
    const int code = cuboid_wait(&requests[i]);
    if (first != CUBOID_SUCCESS || code == CUBOID_SUCCESS) continue;
    first = code;
    static_cast<void>(guarded([&] { message = cuboid_error_message(); }));
  }
  if (first != CUBOID_SUCCESS) set_error_message(message);
  return first;
}

int cuboid_test(cuboid_request* request, int* complete) {
  return guarded([&] {
    int& answer = required(complete, "the pointer to an answer");
    answer = 0;
    std::unique_ptr<cuboid_request_s> owned(
        std::exchange(required(request, "the pointer to a request"), nullptr));
    if (required(owned.get(), "the request").request.test()) {
      answer = 1;
    } else {
      *request = owned.release();
    }
  });
}

int cuboid_plan_start(cuboid_plan plan, cuboid_request* request) {
  return guarded(
      [&] { give(request, [&] { return required(plan, "the plan").plan.start(plan->stream); }); });
}

int cuboid_plan_run(cuboid_plan plan) {
  return guarded([&] { required(plan, "the plan").plan.run(); });
}

int cuboid_plan_algorithm(cuboid_plan plan, const char** name) {
  return guarded([&] {
    required(name, "the pointer to a name") = required(plan, "the plan").algorithm.c_str();
  });
}

int cuboid_plan_free(cuboid_plan* plan) {
  return free_handle(plan);
}
