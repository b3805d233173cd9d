/* The C side of the benchmark: a process that holds data in memory and times C-Blosc2 on it, one command per line.
 *
 *   version          versions of the library and its codecs
 *   load PATH        take the bytes of a file
 *
 * The other commands are described where they are: chunks.c, parts.c, arrays.c, grow.c, readers.c. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In the wheel's library, though none of its headers says so. */
extern const char *LZ4_versionString(void);
extern const char *ZSTD_versionString(void);
extern const char *zlibng_version(void);

uint8_t *data;
int64_t size;
uint8_t *back;

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double now_for(int threads) {
  struct timespec t;
  if (threads > 1 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return now();
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void keep(double *best, double t) {
  if (*best == 0 || t < *best) *best = t;
}

int fail(const char *what, long code) {
  printf("{\"error\": \"%s: %ld\"}\n", what, code);
  return -1;
}

blosc2_cparams cparams_of(const struct job *j) {
  blosc2_cparams c = blosc2_get_blosc2_cparams_defaults();
  c.compcode = (uint8_t)j->codec;
  c.clevel = (uint8_t)j->level;
  c.typesize = j->typesize;
  c.nthreads = (int16_t)j->threads;
  c.splitmode = BLOSC_AUTO_SPLIT;
  memset(c.filters, 0, sizeof c.filters);
  c.filters[BLOSC2_MAX_FILTERS - 1] = (uint8_t)j->filter;
  return c;
}

blosc2_dparams dparams_of(const struct job *j) {
  blosc2_dparams d = blosc2_get_blosc2_dparams_defaults();
  d.nthreads = (int16_t)j->threads;
  return d;
}

static void load(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    fail("open", 0);
    return;
  }
  fseek(f, 0, SEEK_END);
  size = ftell(f);
  fseek(f, 0, SEEK_SET);
  free(data);
  free(back);
  data = malloc((size_t)size);
  back = malloc((size_t)size);
  if (data == NULL || back == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
    fail("read", 0);
  } else {
    memset(back, 1, (size_t)size);
    printf("{\"size\": %lld}\n", (long long)size);
  }
  fclose(f);
}

int main(void) {
  char line[4096], path[3000];
  blosc2_init();
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strncmp(line, "version", 7) == 0) {
      printf("{\"versions\": [\"C-Blosc2 %s\", \"LZ4 %s\", \"Zstd %s\", \"zlib-ng %s\"]}\n", BLOSC2_VERSION_STRING, LZ4_versionString(),
             ZSTD_versionString(), zlibng_version());
    } else if (sscanf(line, "load %2999s", path) == 1) {
      load(path);
    } else if (!chunk_command(line) && !part_command(line) && !array_command(line) && !grow_command(line) && !reader_command(line)) {
      fail("unknown command", 0);
    }
    fflush(stdout);
  }
  blosc2_destroy();
  return 0;
}
