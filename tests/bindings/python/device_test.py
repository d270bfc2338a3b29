#!/usr/bin/env python3
"""Arrays on a device, on the stand-in for CUDA (CUBOID_CUDA), with ranks as threads."""

import ctypes
import os
import sys
import threading

import numpy

import cuboid

if "CUBOID_CUDA" not in os.environ:
    print("no stand-in for CUDA")
    sys.exit(77)
cuda = ctypes.CDLL(os.environ["CUBOID_CUDA"])  # as CuPy loads the driver, for its own work


class Copy2d(ctypes.Structure):
    _fields_ = [("source_x", ctypes.c_size_t), ("source_y", ctypes.c_size_t), ("source_kind", ctypes.c_int),
                ("source_host", ctypes.c_void_p), ("source_device", ctypes.c_uint64), ("source_array", ctypes.c_void_p),
                ("source_pitch", ctypes.c_size_t), ("target_x", ctypes.c_size_t), ("target_y", ctypes.c_size_t),
                ("target_kind", ctypes.c_int), ("target_host", ctypes.c_void_p), ("target_device", ctypes.c_uint64),
                ("target_array", ctypes.c_void_p), ("target_pitch", ctypes.c_size_t), ("width", ctypes.c_size_t),
                ("height", ctypes.c_size_t)]


HOST, DEVICE = 1, 2


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    assert code == 0, (name, code)


context = ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)


def use_device():
    """Makes the device's context current on this thread."""
    if not getattr(_of_thread, "used", False):
        call("cuCtxPushCurrent_v2", context)
        _of_thread.used = True


_of_thread = threading.local()


class OnDevice:
    """A small array on a device, as CuPy's or PyTorch's are."""

    def __init__(self, values, stream=None, copy_on=None):
        use_device()
        values = numpy.ascontiguousarray(values)
        self.shape, self.dtype, self.stream = values.shape, values.dtype, stream
        self.size, self.strides = values.size, None
        self.kept = values
        pointer = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(values.nbytes, 1)))
        self.pointer = pointer.value
        self._copy(values, True, copy_on)

    def __del__(self):
        use_device()
        cuda.cuMemFree_v2(ctypes.c_uint64(self.pointer))

    def _copy(self, values, up, stream=None):
        use_device()
        if values.nbytes == 0:
            return
        copy = Copy2d(width=values.nbytes, height=1, source_pitch=values.nbytes, target_pitch=values.nbytes)
        if up:
            copy.source_kind, copy.source_host = HOST, values.ctypes.data
            copy.target_kind, copy.target_device = DEVICE, self.pointer
        else:
            copy.source_kind, copy.source_device = DEVICE, self.pointer
            copy.target_kind, copy.target_host = HOST, values.ctypes.data
        call("cuMemcpy2DAsync_v2", ctypes.byref(copy), ctypes.c_void_p(stream))

    def write(self, values, stream):
        self.kept = values
        self._copy(values, True, stream)

    def get(self, stream=None):
        values = numpy.empty(self.shape, self.dtype)
        self._copy(values, False, stream)
        call("cuStreamSynchronize", ctypes.c_void_p(stream))
        return values

    def new_empty(self, shape):
        made = OnDevice(numpy.full(shape, -1, self.dtype))
        call("cuStreamSynchronize", None)
        return made

    def new_zeros(self, shape):
        return OnDevice(numpy.zeros(shape, self.dtype))

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer, False), "version": 3,
                "strides": self.strides, "stream": self.stream}


def new_stream():
    use_device()
    stream = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(stream), 1)
    return stream.value


class Exported:
    """An array on a device that only DLPack describes. A stream of its own writes it."""

    class Tensor(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device_kind", ctypes.c_int32), ("device", ctypes.c_int32),
                    ("dimensions", ctypes.c_int32), ("number", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                    ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                    ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

    def __init__(self, values, device_kind=2):
        self.device_kind = device_kind
        self.own_stream = new_stream()
        self.array = OnDevice(values, copy_on=self.own_stream)
        self.shape, self.dtype = self.array.shape, self.array.dtype
        self.extents = (ctypes.c_int64 * len(self.shape))(*self.shape)
        # As if the array began behind the first element of its allocation.
        element = self.dtype.itemsize
        self.tensor = Exported.Tensor(self.array.pointer - element, device_kind, 0, len(self.shape),
                                      "iuf...c".index(self.dtype.kind), 8 * element, 1,
                                      ctypes.addressof(self.extents), None, element)

    def __dlpack_device__(self):
        return self.device_kind, 0

    def __dlpack__(self, *, stream):
        assert stream > 0, "0 is no stream of DLPack's"
        event = ctypes.c_void_p()
        call("cuEventCreate", ctypes.byref(event), 2)
        call("cuEventRecord", event, ctypes.c_void_p(self.own_stream))
        call("cuStreamWaitEvent", ctypes.c_void_p(None if stream == 1 else stream), event, 0)
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


equal = numpy.testing.assert_array_equal


def expect_error(call, kind, text):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error that says {text!r}")


def operations(ranks):
    mine = numpy.arange(6, dtype=float).reshape(2, 3) + ranks.rank
    everybody = sum(numpy.arange(6, dtype=float).reshape(2, 3) + rank for rank in range(ranks.size))

    result = ranks.allreduce(OnDevice(mine))
    assert isinstance(result, OnDevice)
    equal(result.get(), everybody)
    # Input and output may lie in different memories, and ranks may differ.
    on_host = numpy.empty_like(mine)
    assert ranks.allreduce(OnDevice(mine) if ranks.rank % 2 == 0 else mine, on_host) is on_host
    equal(on_host, everybody)

    gathered = ranks.allgather(OnDevice(mine))
    assert isinstance(gathered, OnDevice) and gathered.shape == (ranks.size, 2, 3)
    equal(gathered.get(), [numpy.arange(6).reshape(2, 3) + rank for rank in range(ranks.size)])

    in_place = OnDevice(mine)
    assert ranks.allreduce(in_place, in_place) is in_place
    equal(in_place.get(), everybody)

    buffer = OnDevice(numpy.arange(1000) if ranks.rank == 0 else numpy.zeros(1000, int))
    ranks.broadcast(buffer)
    equal(buffer.get(), numpy.arange(1000))

    block = ranks.reduce_scatter(OnDevice(numpy.ones((ranks.size, 4))))
    equal(block.get(), numpy.full(4, ranks.size))
    prefix = ranks.exscan(OnDevice(numpy.ones(5)))
    equal(prefix.get(), numpy.full(5, ranks.rank))
    swapped = ranks.alltoall(OnDevice(numpy.full((ranks.size, 2), ranks.rank)))
    equal(swapped.get()[:, 0], numpy.arange(ranks.size))
    part = ranks.scatter(OnDevice(numpy.arange(3.0 * ranks.size)) if ranks.rank == 0 else None, OnDevice(numpy.zeros(3)))
    equal(part.get(), numpy.arange(3) + 3 * ranks.rank)

    plan = ranks.plan.allreduce(OnDevice(mine))
    equal(plan.run().get(), everybody)
    equal(plan.start().wait().get(), everybody)


def matrices(ranks):
    n = 24
    whole = numpy.random.default_rng(1).standard_normal((n, n)) + n * numpy.eye(n)
    on_host = cuboid.Matrix.from_array(ranks, whole)
    on_device = cuboid.Matrix(ranks, n, n, device=0)
    assert on_device.device == 0 and on_host.device is None
    cuboid.redistribute(on_host, on_device)
    equal(on_device.to_array(), whole)
    # Results lie where operands lie, and any memory goes with any other.
    product = cuboid.multiply(on_device, on_host)
    assert product.device == 0
    numpy.testing.assert_allclose(product.to_array(), whole @ whole, rtol=1e-12)
    solution = cuboid.Matrix(ranks, n, 2, device=0)
    cuboid.redistribute(cuboid.Matrix.from_array(ranks, whole @ numpy.ones((n, 2))), solution)
    cuboid.solve(on_device, solution)
    numpy.testing.assert_allclose(solution.to_array(), 1, rtol=1e-10)
    # Around an array of another library.
    part = OnDevice(numpy.asfortranarray(on_host.local).T)
    part.shape, part.strides = part.shape[::-1], (8, 8 * part.shape[1])
    wrapped = cuboid.Matrix.wrap(ranks, n, n, part)
    assert wrapped.device == 0
    equal(wrapped.to_array(), whole)
    interface = wrapped.local_on_device.__cuda_array_interface__
    assert interface["data"][0] == part.pointer and interface["strides"] == part.strides
    expect_error(lambda: on_device.local, ValueError, "local_on_device")
    expect_error(lambda: on_host.local_on_device, ValueError, "use local")


def windows(ranks):
    # The stream that an array names is waited for.
    stream = new_stream()
    mine = OnDevice(numpy.full(10, ranks.rank, float), stream=stream, copy_on=stream)
    with cuboid.Window(ranks, 80, device=0) as window:
        window.put(mine, (ranks.rank + 1) % ranks.size)
        window.fence()
        there = OnDevice(numpy.zeros(10))
        window.get(there, ranks.rank)
        window.flush()
        equal(there.get(), (ranks.rank - 1) % ranks.size)
        assert window.memory_on_device("f8").shape == (10,)
        expect_error(window.memory, ValueError, "memory_on_device")
        window.fence()


def streams(ranks):
    stream = new_stream()
    mine = OnDevice(numpy.ones(100), copy_on=stream)
    request = ranks.on(stream).start.allreduce(mine)
    equal(request.wait(stream).get(stream), numpy.full(100, ranks.size))
    # The stream that an array names is waited for without being told.
    named = OnDevice(numpy.ones(100), stream=stream, copy_on=stream)
    equal(ranks.allreduce(named).get(), numpy.full(100, ranks.size))


def exported(ranks):
    """Arrays that name no stream: the call's stream is told to wait for them."""
    mine = numpy.arange(6, dtype=numpy.float32).reshape(2, 3) + ranks.rank
    everybody = sum(numpy.arange(6).reshape(2, 3) + rank for rank in range(ranks.size))
    output = Exported(numpy.zeros_like(mine))
    assert ranks.allreduce(Exported(mine), output) is output
    equal(output.array.get(), everybody)
    stream = new_stream()
    request = ranks.on(stream).start.allreduce(Exported(mine), output)
    request.wait(stream)
    equal(output.array.get(stream), everybody)
    buffer = Exported(numpy.arange(100) if ranks.rank == 0 else numpy.zeros(100, int))
    ranks.broadcast(buffer)
    equal(buffer.array.get(), numpy.arange(100))
    # Each run of a plan waits again.
    input = Exported(mine)
    plan = ranks.plan.allreduce(input, output)
    for run in range(3):
        input.array.write(mine + run, input.own_stream)
        plan.start().wait() if run == 1 else plan.run()
        equal(output.array.get(), everybody + run * ranks.size)
    # Memory of the host, too, as input and as output.
    on_host = HostExported(mine)
    result = HostExported(numpy.zeros_like(mine))
    ranks.allreduce(on_host, result)
    equal(result.values, everybody)
    equal(ranks.allreduce(on_host), everybody)


class HostExported:
    """An array of the host that only DLPack describes."""

    def __init__(self, values):
        self.values = values
        self.shape, self.dtype = values.shape, values.dtype

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __dlpack__(self, **arguments):
        return self.values.__dlpack__(**arguments)


def errors(ranks):
    other = OnDevice(numpy.ones(4), stream=3)
    for wrong, kind, text in (
            (lambda: ranks.allreduce(OnDevice(numpy.ones(4), stream=5), other), ValueError, "two streams"),
            (lambda: ranks.broadcast(Exported(numpy.ones(4), device_kind=10)), TypeError, "not CUDA's"),
            (lambda: ranks.allreduce(Exported(numpy.ones(4))), TypeError, "give the output"),
            (lambda: ranks.broadcast("text"), TypeError, "NumPy array")):
        expect_error(wrong, kind, text)
    beyond = OnDevice(numpy.ones(4))
    beyond.shape = (4000,)
    expect_error(lambda: ranks.allreduce(beyond, numpy.empty(4000)), cuboid.Error, "allocation on device 0")


if __name__ == "__main__":
    for mode in (b"late", b"early"):
        cuda.stand_in_streams(mode, 1)
        for count in (1, 3):
            cuboid.run_ranks(count, operations)
            cuboid.run_ranks(count, matrices)
            cuboid.run_ranks(count, windows)
            cuboid.run_ranks(count, streams)
            cuboid.run_ranks(count, exported)
    cuda.stand_in_streams(b"in_order", 1)
    cuboid.run_ranks(1, errors)
