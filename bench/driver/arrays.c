/* Arrays:
 *
 *   array PATH CODEC LEVEL FILTER TYPESIZE THREADS DTYPE NDIM SHAPE… CHUNKS… BLOCKS…   says what array is meant; PATH - is memory
 *   array-write REPS                   create it from the data
 *   array-read REPS START… STOP…       read a box of the one that was written last
 *   array-put REPS START… STOP…        write a box of it, taken from the beginning of the data
 *   array-open PATH TYPESIZE NDIM      take an array that is in a file, for array-read and array-put, with one thread
 *
 * Times are those of the fastest repetition. */
#include "driver.h"
#include <b2nd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  char path[3000], dtype[32];
  struct job job;
  int8_t ndim;
  int64_t shape[B2ND_MAX_DIM];
  int32_t chunks[B2ND_MAX_DIM], blocks[B2ND_MAX_DIM];
  b2nd_array_t *array;
} it;

/* Reads n numbers and moves on behind them. */
static int numbers(const char **line, int n, int64_t *to) {
  for (int i = 0; i < n; i++) {
    int used = 0;
    long long v;
    if (sscanf(*line, "%lld%n", &v, &used) != 1) return 0;
    to[i] = v;
    *line += used;
  }
  return 1;
}

static int describe(const char *line) {
  int ndim, used = 0;
  int64_t v[B2ND_MAX_DIM];
  struct job *j = &it.job;
  if (sscanf(line, "array %2999s %d %d %d %d %d %31s %d%n", it.path, &j->codec, &j->level, &j->filter, &j->typesize, &j->threads, it.dtype, &ndim,
             &used) != 8 || ndim < 1 || ndim > B2ND_MAX_DIM)
    return 0;
  it.ndim = (int8_t)ndim;
  line += used;
  if (!numbers(&line, ndim, it.shape) || !numbers(&line, ndim, v)) return 0;
  for (int i = 0; i < ndim; i++) it.chunks[i] = (int32_t)v[i];
  if (!numbers(&line, ndim, v)) return 0;
  for (int i = 0; i < ndim; i++) it.blocks[i] = (int32_t)v[i];
  printf("{\"seconds\": [], \"size\": 0}\n");
  return 1;
}

static void write_all(int reps) {
  double best = 0;
  for (int r = 0; r < reps; r++) {
    if (it.array != NULL) b2nd_free(it.array);
    it.array = NULL;
    blosc2_cparams c = cparams_of(&it.job);
    blosc2_dparams d = dparams_of(&it.job);
    blosc2_storage storage = {.contiguous = strcmp(it.path, "-") != 0, .cparams = &c, .dparams = &d};
    if (storage.contiguous) {
      storage.urlpath = it.path;
      remove(it.path);
    }
    b2nd_context_t *ctx = b2nd_create_ctx(&storage, it.ndim, it.shape, it.chunks, it.blocks, it.dtype, DTYPE_NUMPY_FORMAT, NULL, 0);
    double t0 = now();
    int rc = b2nd_from_cbuffer(ctx, &it.array, data, size);
    double t = now() - t0;
    b2nd_free_ctx(ctx);
    if (rc < 0) {
      fail("b2nd_from_cbuffer", rc);
      return;
    }
    if (r == 0 || t < best) best = t;
  }
  printf("{\"seconds\": [%.9f], \"size\": %lld}\n", best, (long long)it.array->sc->cbytes);
}

static void box(int put, int reps, const int64_t *start, const int64_t *stop) {
  int64_t shape[B2ND_MAX_DIM], bytes = it.job.typesize;
  for (int i = 0; i < it.ndim; i++) bytes *= shape[i] = stop[i] - start[i];
  double best = 0;
  for (int r = 0; r < reps; r++) {
    double t0 = now();
    int rc = put ? b2nd_set_slice_cbuffer(data, shape, bytes, start, stop, it.array) : b2nd_get_slice_cbuffer(it.array, start, stop, back, shape, bytes);
    double t = now() - t0;
    if (rc < 0) {
      fail(put ? "b2nd_set_slice_cbuffer" : "b2nd_get_slice_cbuffer", rc);
      return;
    }
    if (r == 0 || t < best) best = t;
  }
  printf("{\"seconds\": [%.9f], \"size\": 0}\n", best);
}

static void open_array(char *path, int typesize, int ndim) {
  if (it.array != NULL) b2nd_free(it.array);
  it.array = NULL;
  int rc = b2nd_open(path, &it.array);
  if (rc < 0 || it.array->ndim != ndim || it.array->sc->typesize != typesize) {
    fail("b2nd_open", rc);
    return;
  }
  it.ndim = (int8_t)ndim;
  it.job.typesize = typesize;
  printf("{\"seconds\": [], \"size\": 0}\n");
}

int array_command(const char *line) {
  int reps, used = 0, typesize, ndim;
  char path[3000];
  int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM];
  if (strncmp(line, "array ", 6) == 0) return describe(line);
  if (sscanf(line, "array-open %2999s %d %d", path, &typesize, &ndim) == 3) {
    open_array(path, typesize, ndim);
    return 1;
  }
  if (sscanf(line, "array-write %d", &reps) == 1) {
    write_all(reps);
    return 1;
  }
  int put = sscanf(line, "array-put %d%n", &reps, &used) == 1;
  if (!put && sscanf(line, "array-read %d%n", &reps, &used) != 1) return 0;
  line += used;
  if (it.array == NULL || !numbers(&line, it.ndim, start) || !numbers(&line, it.ndim, stop)) return 0;
  box(put, reps, start, stop);
  return 1;
}
