// Tells Python what reached or waited for the device.
#include "runtime.h"

#include <atomic>

namespace {
using Report = void (*)(const char* kind, const char* name);
std::atomic<Report> receiver{nullptr};
}  // namespace

namespace fakecuda {

void report(const char* kind, const std::string& name) {
  if (const Report tell = receiver.load()) tell(kind, name.c_str());
}

}  // namespace fakecuda

extern "C" void fakecuda_report_to(Report function) { receiver = function; }
