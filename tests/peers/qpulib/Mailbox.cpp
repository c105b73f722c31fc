// Stands in for QPULib's Mailbox.cpp: memory of the process, and `execute_qpu` as a job for `qpu run`.

#include "VideoCore/Mailbox.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const unsigned ALIAS = 0x40000000;
const unsigned FIRST = 0x100000;
const unsigned END = 32u << 20;

char *ram;
unsigned used = FIRST;
// Physical address of each handle, which is the index + 1.
std::vector<unsigned> blocks;

void check(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "%s\n", what);
    exit(1);
  }
}

} // namespace

int mbox_open() {
  if (!ram) ram = (char *)calloc(1, END);
  return 1;
}
void mbox_close(int) {}

unsigned get_version(int) { return 0; }

unsigned mem_alloc(int, unsigned size, unsigned align, unsigned) {
  used = (used + align - 1) & ~(align - 1);
  check(size <= END - used, "QPULib asks for more memory than the test gives it");
  blocks.push_back(used);
  used += size;
  return (unsigned)blocks.size();
}
unsigned mem_free(int, unsigned) { return 0; }
unsigned mem_lock(int, unsigned handle) { return blocks[handle - 1] | ALIAS; }
unsigned mem_unlock(int, unsigned) { return 0; }
void *mapmem(unsigned base, unsigned) { return ram + base; }
void unmapmem(void *, unsigned) {}

unsigned execute_code(int, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned) { return 0; }
unsigned qpu_enable(int, unsigned) { return 0; }

// 0 when all programs ended, as the firmware answers.
unsigned execute_qpu(int, unsigned count, unsigned control, unsigned, unsigned) {
  const char *host = getenv("QPUSCOPE_QPU");
  const char *folder = getenv("QPUSCOPE_JOB_DIR");
  const char *keys = getenv("QPUSCOPE_JOB_KEYS");
  check(host && folder, "QPUSCOPE_QPU and QPUSCOPE_JOB_DIR must be set");
  const std::string base = std::string(folder) + "/";

  FILE *file = fopen((base + "in").c_str(), "wb");
  check(file && fwrite(ram + FIRST, 1, used - FIRST, file) == used - FIRST, "the memory cannot be written");
  fclose(file);

  file = fopen((base + "job.json").c_str(), "w");
  check(file, "the job cannot be written");
  fprintf(file, "{\"memory\": [{\"at\": %u, \"zero\": %u}, {\"at\": %u, \"file\": \"in\"}], \"programs\": [", ALIAS | FIRST,
          used - FIRST, ALIAS | FIRST);
  const unsigned *messages = (const unsigned *)(ram + BUS_TO_PHYS(control));
  for (unsigned i = 0; i < count; i++)
    fprintf(file, "%s{\"uniforms\": %u, \"code\": %u}", i ? ", " : "", messages[2 * i], messages[2 * i + 1]);
  fprintf(file, "], \"dump\": [{\"at\": %u, \"bytes\": %u, \"file\": \"out\"}]%s}\n", ALIAS | FIRST, used - FIRST,
          keys ? keys : "");
  fclose(file);

  const std::string command = std::string(host) + " run " + base + "job.json > " + base + "log 2>&1";
  if (system(command.c_str()) != 0) {
    system(("cat " + base + "log 1>&2").c_str());
    return 1;
  }
  file = fopen((base + "out").c_str(), "rb");
  check(file && fread(ram + FIRST, 1, used - FIRST, file) == used - FIRST, "the results cannot be read");
  fclose(file);
  return 0;
}
