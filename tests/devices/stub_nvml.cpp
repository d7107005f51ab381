// A library with the calls of libnvidia-ml that are read, as its header declares them.
#include <cstdio>
#include <cstring>

namespace {
int card;
bool started = false;
int known(const void* handle) { return started && handle == &card ? 0 : 2; }
int put(const void* handle, unsigned* answer, unsigned value) {
    *answer = value;
    return known(handle);
}
}  // namespace

struct Memory {
    unsigned long long total, free, used;
};

extern "C" {
int nvmlInit_v2() {
    started = true;
    return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
    std::snprintf(text, length, "580.1");
    return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
    if (std::strcmp(uuid, "GPU-8a5e0f26-0000-1111-2222-333344445555") != 0) return 6;
    *handle = &card;
    return 0;
}
int nvmlDeviceGetClockInfo(void* handle, int domain, unsigned* mhz) {
    return put(handle, mhz, domain == 1 ? 1980 : 3201);
}
int nvmlDeviceGetMaxClockInfo(void* handle, int domain, unsigned* mhz) {
    return put(handle, mhz, domain == 1 ? 1985 : 3201);
}
int nvmlDeviceGetTemperature(void* handle, int sensor, unsigned* celsius) {
    return put(handle, celsius, sensor == 0 ? 41 : 0);
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
    return put(handle, milliwatts, 123500);
}
int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* millijoules) {
    *millijoules = 1ULL << 40;
    return known(handle);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) {
    *reasons = 4;
    return known(handle);
}
int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
    *memory = {100, 40, 60};
    return known(handle);
}
}
