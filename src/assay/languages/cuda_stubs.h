/* Enough of torch's C++ names for nvcc to read past host code. Nothing here is ever linked. */
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cmath>
#include <cstdint>
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>
namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
template <class T> using optional = std::optional<T>;
static constexpr auto nullopt = std::nullopt;
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };
enum class DeviceType { CPU, CUDA };
static constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
struct Device {
  Device(DeviceType = kCPU, int = -1) {}
  bool is_cuda() const; bool is_cpu() const; int index() const; DeviceType type() const;
  bool operator==(const Device&) const; bool operator!=(const Device&) const;
};
struct IntArrayRef {
  IntArrayRef(std::initializer_list<int64_t>) {}
  IntArrayRef(const std::vector<int64_t>&) {}
  IntArrayRef(int64_t) {}
  std::vector<int64_t> vec() const; int64_t operator[](size_t) const; size_t size() const;
  const int64_t* begin() const; const int64_t* end() const; const int64_t* data() const;
  bool operator==(const IntArrayRef&) const; bool operator!=(const IntArrayRef&) const;
  operator std::vector<int64_t>() const;
};
struct Scalar {
  template <class T> Scalar(T) {}
  template <class T> T to() const; float toFloat() const; double toDouble() const;
  int64_t toLong() const; int toInt() const;
};
namespace cuda {
struct CUDAStream { cudaStream_t stream() const; operator cudaStream_t() const; };
CUDAStream getCurrentCUDAStream(int = -1); CUDAStream getDefaultCUDAStream(int = -1);
CUDAStream getStreamFromPool(bool = false, int = -1);
struct CUDAGuard { template <class... A> CUDAGuard(A...) {} };
struct OptionalCUDAGuard { template <class... A> OptionalCUDAGuard(A...) {} };
struct CUDAStreamGuard { template <class... A> CUDAStreamGuard(A...) {} };
}  // namespace cuda
}  // namespace c10
namespace at {
using namespace c10;
static constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char,
  kShort = ScalarType::Short, kInt = ScalarType::Int, kLong = ScalarType::Long,
  kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double,
  kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kUInt8 = ScalarType::Byte,
  kInt8 = ScalarType::Char, kInt16 = ScalarType::Short, kInt32 = ScalarType::Int,
  kInt64 = ScalarType::Long, kFloat16 = ScalarType::Half, kFloat32 = ScalarType::Float,
  kFloat64 = ScalarType::Double;
struct TensorOptions {
  TensorOptions() {}
  TensorOptions(ScalarType) {}
  TensorOptions(Device) {}
  TensorOptions(DeviceType) {}
  template <class... A> TensorOptions dtype(A...) const;
  template <class... A> TensorOptions device(A...) const;
  TensorOptions requires_grad(bool = true) const; TensorOptions layout(int) const;
};
template <class T, int N> struct Accessor {
  __host__ __device__ Accessor<T, N - 1> operator[](int64_t) const;
  __host__ __device__ int64_t size(int) const; __host__ __device__ int64_t stride(int) const;
  __host__ __device__ T* data() const;
};
template <class T> struct Accessor<T, 0> { __host__ __device__ operator T&() const; };
struct Tensor {
  template <class T> T* data_ptr() const; void* data_ptr() const;
  template <class T> T* data() const; template <class T> T* mutable_data_ptr() const;
  template <class T> const T* const_data_ptr() const; template <class T> T item() const;
  int64_t size(int64_t) const; int64_t stride(int64_t) const; int64_t numel() const;
  int64_t dim() const; int64_t ndimension() const; IntArrayRef sizes() const;
  IntArrayRef strides() const; int64_t element_size() const; int64_t nbytes() const;
  bool is_cuda() const; bool is_cpu() const; bool is_contiguous(int = 0) const;
  bool defined() const; bool requires_grad() const; int get_device() const;
  ScalarType scalar_type() const; ScalarType dtype() const; ScalarType type() const;
  Device device() const; TensorOptions options() const;
  bool is_floating_point() const; bool is_same(const Tensor&) const; Scalar item() const;
  Tensor contiguous(int = 0) const; Tensor clone() const; Tensor detach() const; Tensor t() const;
  Tensor view(IntArrayRef) const; Tensor reshape(IntArrayRef) const;
  Tensor expand(IntArrayRef) const;
  Tensor permute(IntArrayRef) const; Tensor transpose(int64_t, int64_t) const;
  Tensor squeeze(int64_t = 0) const; Tensor unsqueeze(int64_t) const; Tensor flatten(int = 0, int = -1) const;
  Tensor slice(int64_t, int64_t, int64_t, int64_t = 1) const; Tensor select(int64_t, int64_t) const;
  Tensor cuda() const; Tensor cpu() const; Tensor zero_() const; Tensor operator[](int64_t) const;
  template <class... A> Tensor to(A...) const; template <class... A> Tensor fill_(A...) const;
  template <class... A> Tensor sum(A...) const; template <class... A> Tensor mean(A...) const;
  template <class... A> Tensor copy_(A...) const; template <class... A> Tensor add_(A...) const;
  template <class... A> Tensor mul_(A...) const; template <class... A> Tensor div_(A...) const;
  template <class T, int N, template <class> class P = std::allocator, class I = int64_t>
  Accessor<T, N> packed_accessor32() const;
  template <class T, int N> Accessor<T, N> packed_accessor64() const;
  template <class T, int N> Accessor<T, N> accessor() const;
};
template <class T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };
template <class T> struct DefaultPtrTraits { using PtrType = T*; };
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor32 = Accessor<T, N>;
template <class T, int N, template <class> class P = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor64 = Accessor<T, N>;
std::optional<Device> device_of(const Tensor&);
Tensor empty(IntArrayRef, TensorOptions = {}); Tensor zeros(IntArrayRef, TensorOptions = {});
Tensor ones(IntArrayRef, TensorOptions = {}); Tensor full(IntArrayRef, Scalar, TensorOptions = {});
Tensor empty_like(const Tensor&, TensorOptions = {}); Tensor zeros_like(const Tensor&, TensorOptions = {});
Tensor ones_like(const Tensor&, TensorOptions = {}); Tensor arange(Scalar, TensorOptions = {});
Tensor empty_strided(IntArrayRef, IntArrayRef, TensorOptions = {}); Tensor cat(std::vector<Tensor>, int64_t = 0);
template <class... A> Tensor from_blob(void*, IntArrayRef, A...);
namespace cuda {
using namespace c10::cuda;
cudaDeviceProp* getCurrentDeviceProperties(); cudaDeviceProp* getDeviceProperties(int);
}  // namespace cuda
}  // namespace at
namespace torch {
using namespace at;
using at::Tensor;
template <class... A> TensorOptions dtype(A...); template <class... A> TensorOptions device(A...);
template <class T> Tensor tensor(T, TensorOptions = {});
namespace cuda { inline int device_count(); void synchronize(int = -1); }
namespace autograd { using at::Tensor; }
}  // namespace torch
namespace pybind11 {
struct arg { arg(const char*) {} template <class T> arg& operator=(T) { return *this; } };
struct module_ { template <class... A> module_& def(A...); };
using module = module_;
}  // namespace pybind11
namespace py = pybind11;
template <class... A> void stub_use(const A&...);
#define TORCH_CHECK(c, ...) do { if (!(c)) stub_use(0); } while (0)
#define TORCH_INTERNAL_ASSERT(c, ...) TORCH_CHECK(c)
#define AT_ASSERTM(c, ...) TORCH_CHECK(c)
#define AT_ASSERT(c, ...) TORCH_CHECK(c)
#define AT_ERROR(...) stub_use(0)
#define TORCH_WARN(...) stub_use(0)
#define C10_CUDA_CHECK(e) stub_use(e)
#define AT_CUDA_CHECK(e) stub_use(e)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() stub_use(cudaGetLastError())
#define STUB_JOINED(a, b) a##b
#define STUB_NAMED(a, b) STUB_JOINED(a, b)
#define PYBIND11_MODULE(n, m) static void STUB_NAMED(stub_module_, __LINE__)(pybind11::module_& m)
#define TORCH_LIBRARY(n, m) static void STUB_NAMED(stub_library_, __LINE__)(pybind11::module_& m)
#define TORCH_LIBRARY_IMPL(n, k, m) TORCH_LIBRARY(n, m)
#define TORCH_EXTENSION_NAME extension
#define STUB_DISPATCH(...) [&] { using scalar_t = float; __VA_ARGS__(); }()
#define AT_DISPATCH_FLOATING_TYPES(t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(a, t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(a, t, n, ...) STUB_DISPATCH(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, t, n, ...) STUB_DISPATCH(__VA_ARGS__)
