// A program that knows nothing of Cuboid and passes MPI's collectives buffers in a device's memory,
// on the stand-in for CUDA (CUBOID_CUDA), with an MPI that is not CUDA-aware.

#include "expect.hpp"
#include "persistent_names.hpp"

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <dlfcn.h>

namespace {

struct Copy2d {
  std::size_t source_x = 0, source_y = 0;
  int source_kind = 0;
  const void* source_host = nullptr;
  std::uint64_t source_device = 0;
  void* source_array = nullptr;
  std::size_t source_pitch = 0, target_x = 0, target_y = 0;
  int target_kind = 0;
  void* target_host = nullptr;
  std::uint64_t target_device = 0;
  void* target_array = nullptr;
  std::size_t target_pitch = 0, width = 0, height = 1;
};

void* cuda = nullptr;

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(cuda, name));
  const int code = function == nullptr ? -1 : function(arguments...);
  expect(code == 0, std::string(name) + " returned " + std::to_string(code));
}

/// Numbers in the device's memory.
class OnDevice {
 public:
  explicit OnDevice(const std::vector<int>& values) : values_(values) {
    call("cuMemAlloc_v2", &pointer_, bytes());
    write(values);
  }
  void write(const std::vector<int>& values) {
    values_ = values;
    Copy2d copy;
    copy.source_kind = 1;
    copy.source_host = values_.data();
    copy.target_kind = 2;
    copy.target_device = pointer_;
    run(copy);
  }
  ~OnDevice() { call("cuMemFree_v2", pointer_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  int* data() const { return reinterpret_cast<int*>(pointer_); }
  const std::vector<int>& read() {
    Copy2d copy;
    copy.source_kind = 2;
    copy.source_device = pointer_;
    copy.target_kind = 1;
    copy.target_host = values_.data();
    run(copy);
    call("cuStreamSynchronize", static_cast<void*>(nullptr));
    return values_;
  }

 private:
  std::size_t bytes() const { return values_.size() * sizeof(int); }
  void run(Copy2d copy) {
    copy.source_pitch = copy.target_pitch = copy.width = bytes();
    call("cuMemcpy2DAsync_v2", static_cast<const Copy2d*>(&copy), static_cast<void*>(nullptr));
  }

  std::vector<int> values_;
  std::uint64_t pointer_ = 0;
};

std::vector<int> counted(int count, int first) {
  std::vector<int> numbers(at(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

void check(int count) {
  const std::string what = ", " + std::to_string(count) + " elements";
  const MPI_Comm world = MPI_COMM_WORLD;
  std::vector<int> sums = counted(count, 0);
  for (int& one : sums) one = one * ranks + ranks * (ranks - 1) / 2;

  OnDevice mine(counted(count, rank)), result(std::vector<int>(at(count), -1));
  MPI_Allreduce(mine.data(), result.data(), count, MPI_INT, MPI_SUM, world);
  expect(result.read() == sums, "MPI_Allreduce" + what);
  OnDevice in_place(counted(count, rank));
  MPI_Allreduce(MPI_IN_PLACE, in_place.data(), count, MPI_INT, MPI_SUM, world);
  expect(in_place.read() == sums, "MPI_Allreduce in place" + what);

  // Ranks may differ.
  std::vector<int> on_host = rank == 0 ? counted(count, 5) : std::vector<int>(at(count), -1);
  OnDevice there(on_host);
  const bool on_device = rank % 2 == 0;
  MPI_Bcast(on_device ? there.data() : on_host.data(), count, MPI_INT, 0, world);
  expect((on_device ? there.read() : on_host) == counted(count, 5), "MPI_Bcast" + what);

  std::vector<int> everybody;
  for (int other = 0; other < ranks; ++other) {
    const std::vector<int> theirs = counted(count, other);
    everybody.insert(everybody.end(), theirs.begin(), theirs.end());
  }
  OnDevice all(std::vector<int>(at(count * ranks), -1));
  MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, world);
  expect(all.read() == everybody, "MPI_Allgather" + what);
  OnDevice gathered(std::vector<int>(at(count * ranks), -1));
  MPI_Gather(mine.data(), count, MPI_INT, gathered.data(), count, MPI_INT, ranks - 1, world);
  if (rank == ranks - 1) expect(gathered.read() == everybody, "MPI_Gather" + what);

  OnDevice block(std::vector<int>(at(count), -1));
  OnDevice contributions(std::vector<int>(at(count * ranks), 3));
  MPI_Reduce_scatter_block(contributions.data(), block.data(), count, MPI_INT, MPI_SUM, world);
  expect(block.read() == std::vector<int>(at(count), 3 * ranks), "MPI_Reduce_scatter_block" + what);
  MPI_Scatter(all.data(), count, MPI_INT, block.data(), count, MPI_INT, 0, world);
  expect(block.read() == counted(count, rank), "MPI_Scatter" + what);
  OnDevice swapped(std::vector<int>(at(count * ranks), -1));
  MPI_Alltoall(all.data(), count, MPI_INT, swapped.data(), count, MPI_INT, world);
  std::vector<int> own;
  for (int other = 0; other < ranks; ++other)
    own.insert(own.end(), block.read().begin(), block.read().end());
  expect(swapped.read() == own, "MPI_Alltoall" + what);

  // A vector's gaps stay as they are.
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  std::vector<int> striped(at(2 * count), rank == 0 ? 7 : -1);
  OnDevice stripes(striped);
  MPI_Bcast(stripes.data(), 1, every_second, 0, world);
  for (int i = 0; i < count; ++i) striped[at(2 * i)] = 7;
  expect(stripes.read() == striped, "MPI_Bcast of a vector" + what);
  MPI_Type_free(&every_second);
}

/// Calls under way at once, on devices and hosts; the requests are waited for in another order.
void check_requests(int count) {
  const std::string what = ", " + std::to_string(count) + " elements";
  const MPI_Comm world = MPI_COMM_WORLD;
  std::vector<int> sums = counted(count, 0);
  for (int& one : sums) one = one * ranks + ranks * (ranks - 1) / 2;
  std::vector<MPI_Request> requests(5, MPI_REQUEST_NULL);

  OnDevice mine(counted(count, rank)), sum(std::vector<int>(at(count), -1));
  MPI_Iallreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, world, &requests[4]);
  std::vector<int> on_host = rank == 0 ? counted(count, 5) : std::vector<int>(at(count), -1);
  OnDevice there(on_host);
  const bool on_device = rank % 2 != 0;  // ranks may differ
  MPI_Ibcast(on_device ? there.data() : on_host.data(), count, MPI_INT, 0, world, &requests[2]);
  std::vector<int> everybody(at(count * ranks), -1);
  std::fill_n(everybody.begin() + rank * count, count, rank);
  OnDevice all(everybody);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, MPI_INT, world, &requests[1]);
  // A vector's gaps stay as they are.
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  std::vector<int> striped(at(2 * count), rank == 0 ? 7 : -1);
  OnDevice stripes(striped);
  MPI_Ibcast(stripes.data(), 1, every_second, 0, world, &requests[0]);
  MPI_Type_free(&every_second);
  MPI_Ibarrier(world, &requests[3]);

  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  for (int complete = 0; complete == 0;) MPI_Test(&requests[4], &complete, MPI_STATUS_IGNORE);
  expect(sum.read() == sums, "MPI_Iallreduce" + what);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
  expect(requests == std::vector<MPI_Request>(5, MPI_REQUEST_NULL), "a request that is not freed");
  expect((on_device ? there.read() : on_host) == counted(count, 5), "MPI_Ibcast" + what);
  for (int other = 0; other < ranks; ++other)
    std::fill_n(everybody.begin() + other * count, count, other);
  expect(all.read() == everybody, "MPI_Iallgather in place" + what);
  for (int i = 0; i < count; ++i) striped[at(2 * i)] = 7;
  expect(stripes.read() == striped, "MPI_Ibcast of a vector" + what);
}

#ifdef INIT
/// Each run reads what the buffers hold when it is started.
void check_persistent(int count) {
  const std::string what = ", " + std::to_string(count) + " elements";
  OnDevice mine(std::vector<int>(at(count), -1)), sum(std::vector<int>(at(count), -1));
  std::vector<int> on_host(at(count), -1);
  OnDevice there(on_host);
  const bool on_device = rank % 2 == 0;
  std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
  INIT(Allreduce)
  (mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  INIT(Bcast)
  (on_device ? there.data() : on_host.data(), count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
   &requests[1]);
  for (int run = 0; run < 3; ++run) {
    mine.write(std::vector<int>(at(count), rank + run));
    if (rank == 0) there.write(counted(count, run));
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    const int total = ranks * run + ranks * (ranks - 1) / 2;
    expect(sum.read() == std::vector<int>(at(count), total), "MPI_Allreduce_init" + what);
    expect((on_device ? there.read() : on_host) == counted(count, run), "MPI_Bcast_init" + what);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}
#endif

void refusals() {
  MPI_Comm quiet = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  const OnDevice mine(counted(10, 0));
  MPI_Request request = MPI_REQUEST_NULL;
  expect(MPI_Ibcast(mine.data(), 10000, MPI_INT, 0, quiet, &request) != MPI_SUCCESS,
         "MPI_Ibcast of a length beyond its allocation");
  expect(MPI_Bcast(mine.data(), 10000, MPI_INT, 0, quiet) != MPI_SUCCESS,
         "a length beyond its allocation");
  MPI_Comm_free(&quiet);
}

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  std::vector<int> before(1000, 1), sums(1000);  // no driver is loaded yet
  MPI_Allreduce(before.data(), sums.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  cuda = dlopen(std::getenv("CUBOID_CUDA"), RTLD_NOW);
  expect(cuda != nullptr, "no stand-in for CUDA");
  if (cuda == nullptr) return end();
  void* context = nullptr;
  call("cuInit", 0u);
  call("cuDevicePrimaryCtxRetain", &context, 0);
  call("cuCtxPushCurrent_v2", context);
  for (const int count : {1, 1000, 50000}) {
    check(count);
#ifdef OPEN_MPI  // another MPI gives a library no turns while it waits
    check_requests(count);
#ifdef INIT
    check_persistent(count);
#endif
#endif
  }
  refusals();
  return end();
}
