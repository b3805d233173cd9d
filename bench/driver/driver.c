/* The C side of the benchmark: a process that holds data in memory and times C-Blosc2 on it, one command per line.
 *
 *   version                                                     versions of the library and its codecs
 *   load PATH OFFSET                                            take the bytes of a file from an offset on
 *   run LAYER CODEC LEVEL FILTER TYPESIZE THREADS CHUNK REPS    compress and decompress all of it REPS times
 *
 * LAYER is "frame" (a super-chunk in memory whose chunks are loose, the faster kind in C) or "chunk" (contexts alone). Each command
 * answers with one line of JSON. Times are seconds of the fastest repetition; creating and freeing containers is not counted, starting
 * threads on first use is.
 */
#include <blosc2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t *data;
static int64_t size;
static uint8_t *back;

struct job {
  char layer[16];
  int codec, level, filter, typesize, threads, chunk, reps;
};

struct result {
  double compress, decompress;
  int64_t cbytes;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what, long code) {
  printf("{\"error\": \"%s: %ld\"}\n", what, code);
  return -1;
}

static int32_t piece(const struct job *j, int64_t at) {
  return (int32_t)(size - at < j->chunk ? size - at : j->chunk);
}

static blosc2_cparams cparams_of(const struct job *j) {
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

static blosc2_dparams dparams_of(const struct job *j) {
  blosc2_dparams d = blosc2_get_blosc2_dparams_defaults();
  d.nthreads = (int16_t)j->threads;
  return d;
}

/* One repetition through a super-chunk in memory. */
static int once_frame(const struct job *j, struct result *r) {
  blosc2_cparams c = cparams_of(j);
  blosc2_dparams d = dparams_of(j);
  blosc2_storage storage = {.contiguous = false, .cparams = &c, .dparams = &d};
  blosc2_schunk *s = blosc2_schunk_new(&storage);
  if (s == NULL) return fail("schunk_new", 0);
  double t0 = now();
  for (int64_t at = 0; at < size; at += j->chunk) {
    int64_t rc = blosc2_schunk_append_buffer(s, data + at, piece(j, at));
    if (rc < 0) return fail("append", (long)rc);
  }
  double t1 = now();
  int64_t n = 0;
  for (int64_t at = 0; at < size; at += j->chunk, n++) {
    int rc = blosc2_schunk_decompress_chunk(s, n, back + at, piece(j, at));
    if (rc < 0) return fail("decompress", rc);
  }
  double t2 = now();
  r->compress = t1 - t0;
  r->decompress = t2 - t1;
  r->cbytes = s->cbytes;
  blosc2_schunk_free(s);
  return 0;
}

/* One repetition through contexts, each chunk into its own place of one buffer. */
static int once_chunk(const struct job *j, struct result *r) {
  int64_t slots = (size + j->chunk - 1) / j->chunk;
  size_t slot = (size_t)j->chunk + BLOSC2_MAX_OVERHEAD;
  uint8_t *out = malloc((size_t)slots * slot);
  if (out == NULL) return fail("malloc", 0);
  memset(out, 1, (size_t)slots * slot);
  blosc2_context *cctx = blosc2_create_cctx(cparams_of(j));
  blosc2_context *dctx = blosc2_create_dctx(dparams_of(j));
  r->cbytes = 0;
  double t0 = now();
  for (int64_t i = 0; i < slots; i++) {
    int64_t at = i * j->chunk;
    int rc = blosc2_compress_ctx(cctx, data + at, piece(j, at), out + (size_t)i * slot, (int32_t)slot);
    if (rc <= 0) return fail("compress", rc);
    r->cbytes += rc;
  }
  double t1 = now();
  for (int64_t i = 0; i < slots; i++) {
    int64_t at = i * j->chunk;
    int rc = blosc2_decompress_ctx(dctx, out + (size_t)i * slot, (int32_t)slot, back + at, piece(j, at));
    if (rc < 0) return fail("decompress", rc);
  }
  double t2 = now();
  r->compress = t1 - t0;
  r->decompress = t2 - t1;
  blosc2_free_ctx(cctx);
  blosc2_free_ctx(dctx);
  free(out);
  return 0;
}

static void run(const struct job *j) {
  struct result best = {0}, r;
  for (int i = 0; i < j->reps; i++) {
    int rc = strcmp(j->layer, "chunk") == 0 ? once_chunk(j, &r) : once_frame(j, &r);
    if (rc < 0) return;
    if (i == 0 || r.compress < best.compress) best.compress = r.compress;
    if (i == 0 || r.decompress < best.decompress) best.decompress = r.decompress;
    best.cbytes = r.cbytes;
  }
  if (memcmp(data, back, (size_t)size) != 0) {
    fail("the data came back changed", 0);
    return;
  }
  printf("{\"compress\": %.9f, \"decompress\": %.9f, \"cbytes\": %lld}\n", best.compress, best.decompress, (long long)best.cbytes);
}

static void load(const char *path, long offset) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    fail("open", 0);
    return;
  }
  fseek(f, 0, SEEK_END);
  size = ftell(f) - offset;
  fseek(f, offset, SEEK_SET);
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
  long offset;
  struct job j;
  blosc2_init();
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strncmp(line, "version", 7) == 0) {
      printf("{\"version\": \"%s\"}\n", BLOSC2_VERSION_STRING);
    } else if (sscanf(line, "load %2999s %ld", path, &offset) == 2) {
      load(path, offset);
    } else if (sscanf(line, "run %15s %d %d %d %d %d %d %d", j.layer, &j.codec, &j.level, &j.filter, &j.typesize, &j.threads, &j.chunk,
                      &j.reps) == 8) {
      run(&j);
    } else {
      fail("unknown command", 0);
    }
    fflush(stdout);
  }
  blosc2_destroy();
  return 0;
}
