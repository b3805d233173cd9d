/* Arrays:
 *
 *   array PATH CODEC LEVEL FILTER TYPESIZE THREADS DTYPE NDIM SHAPE… CHUNKS… BLOCKS…   says what array is meant; PATH - is memory
 *   array-write REPS                   create it from the data
 *   array-read REPS START… STOP…       read a box of the one that was written last
 *   array-put REPS START… STOP…        write a box of it, taken from the beginning of the data
 *   array-append STEP                  create it empty, and append the data, STEP rows at a time; the time of one row, and bytes written
 *   array-open PATH TYPESIZE NDIM      take an array that is in a file, for array-read and array-put, with one thread
 *
 * Times are those of the fastest repetition. What is read is compared with the data. */
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
  int whole; /* the array holds the data, so that reads can be compared */
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

/* Replaces the array by a new one with the given shape. Returns what filling it, from n bytes at data, returns. */
static int create(const int64_t *shape, int64_t n, double *took) {
  if (it.array != NULL) b2nd_free(it.array);
  it.array = NULL;
  blosc2_cparams c = cparams_of(&it.job);
  blosc2_dparams d = dparams_of(&it.job);
  blosc2_storage storage = {.contiguous = strcmp(it.path, "-") != 0, .cparams = &c, .dparams = &d};
  if (storage.contiguous) {
    storage.urlpath = it.path;
    remove(it.path);
  }
  b2nd_context_t *ctx = b2nd_create_ctx(&storage, it.ndim, shape, it.chunks, it.blocks, it.dtype, DTYPE_NUMPY_FORMAT, NULL, 0);
  double t0 = now();
  int rc = n > 0 ? b2nd_from_cbuffer(ctx, &it.array, data, n) : b2nd_empty(ctx, &it.array);
  *took = now() - t0;
  b2nd_free_ctx(ctx);
  return rc;
}

static void write_all(int reps) {
  double best = 0, t;
  for (int r = 0; r < reps; r++) {
    int rc = create(it.shape, size, &t);
    if (rc < 0) {
      fail("b2nd_from_cbuffer", rc);
      return;
    }
    if (r == 0 || t < best) best = t;
  }
  it.whole = 1;
  printf("{\"seconds\": [%.9f], \"size\": %lld}\n", best, (long long)it.array->sc->cbytes);
}

/* Bytes that this process has written to files, 0 where the system does not tell. */
static long long written(void) {
  char line[200];
  long long n = 0;
  FILE *f = fopen("/proc/self/io", "r");
  if (f == NULL) return 0;
  while (fgets(line, sizeof line, f) != NULL && sscanf(line, "wchar: %lld", &n) != 1) n = 0;
  fclose(f);
  return n;
}

static void append(int64_t step) {
  int64_t shape[B2ND_MAX_DIM], start[B2ND_MAX_DIM] = {0}, rows = it.shape[0], row = size / rows;
  memcpy(shape, it.shape, sizeof shape);
  shape[0] = 0;
  double took;
  long long before = written();
  int rc = create(shape, 0, &took);
  double t0 = now();
  for (int64_t at = 0; at < rows && rc >= 0; at += step) {
    rc = b2nd_append(it.array, data + at * row, (rows - at < step ? rows - at : step) * row, 0);
  }
  took += now() - t0;
  long long wrote = written() - before;
  if (rc >= 0) rc = b2nd_get_slice_cbuffer(it.array, start, it.shape, back, it.shape, size);
  if (rc >= 0 && memcmp(data, back, (size_t)size) != 0) rc = -1000;
  if (rc < 0) {
    fail("b2nd_append", rc);
  } else {
    printf("{\"seconds\": [%.9f], \"size\": %lld}\n", took / (double)rows, wrote);
  }
}

/* Reports whether back holds a box of the data. */
static int same(const int64_t *start, const int64_t *shape) {
  int64_t at[B2ND_MAX_DIM] = {0}, row = shape[it.ndim - 1] * it.job.typesize;
  for (const uint8_t *b = back;; b += row) {
    int64_t from = 0;
    for (int i = 0; i < it.ndim; i++) from = from * it.shape[i] + start[i] + at[i];
    if (memcmp(b, data + from * it.job.typesize, (size_t)row) != 0) return 0;
    int axis = it.ndim - 2;
    while (axis >= 0 && ++at[axis] == shape[axis]) at[axis--] = 0;
    if (axis < 0) return 1;
  }
}

static void box(int put, int reps, const int64_t *start, const int64_t *stop) {
  int64_t shape[B2ND_MAX_DIM], bytes = it.job.typesize;
  for (int i = 0; i < it.ndim; i++) bytes *= shape[i] = stop[i] - start[i];
  double best = 0;
  int rc = 0;
  for (int r = 0; r < reps && rc >= 0; r++) {
    double t0 = now();
    rc = put ? b2nd_set_slice_cbuffer(data, shape, bytes, start, stop, it.array) : b2nd_get_slice_cbuffer(it.array, start, stop, back, shape, bytes);
    double t = now() - t0;
    if (r == 0 || t < best) best = t;
  }
  if (put && rc >= 0) {
    it.whole = 0;
    rc = b2nd_get_slice_cbuffer(it.array, start, stop, back, shape, bytes);
    if (rc >= 0 && memcmp(data, back, (size_t)bytes) != 0) rc = -1000;
  } else if (it.whole && rc >= 0 && !same(start, shape)) {
    rc = -1000;
  }
  if (rc < 0) {
    fail(put ? "b2nd_set_slice_cbuffer" : "b2nd_get_slice_cbuffer", rc);
    return;
  }
  printf("{\"seconds\": [%.9f], \"size\": 0}\n", best);
}

static void open_array(char *path, int typesize, int ndim) {
  if (it.array != NULL) b2nd_free(it.array);
  it.array = NULL;
  it.whole = 0;
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
  if (sscanf(line, "array-append %d", &reps) == 1) {
    append(reps);
    return 1;
  }
  int put = sscanf(line, "array-put %d%n", &reps, &used) == 1;
  if (!put && sscanf(line, "array-read %d%n", &reps, &used) != 1) return 0;
  line += used;
  if (it.array == NULL || !numbers(&line, it.ndim, start) || !numbers(&line, it.ndim, stop)) return 0;
  box(put, reps, start, stop);
  return 1;
}
