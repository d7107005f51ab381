// A driver whose every call succeeds at once; waiting for the device takes ten microseconds.

#include <unistd.h>

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = nullptr;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuMemAlloc_v2(unsigned long long* pointer, unsigned long) {
  *pointer = 4096;
  return 0;
}
int cuMemsetD8_v2(unsigned long long pointer, unsigned char, unsigned long) {
  return pointer == 4096 ? 0 : 1;
}
int cuCtxSynchronize() { return usleep(10); }
int cuGetErrorString(int, const char** text) {
  *text = "invalid argument";
  return 0;
}
}
