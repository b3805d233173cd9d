/* Whole buffers:
 *
 *   frames CODEC LEVEL FILTER TYPESIZE THREADS CHUNK REPS    compress and decompress all of the data REPS times
 *   chunks …                                                 the same
 *
 * "frames" goes through a super-chunk in memory whose chunks are loose, the faster kind in C; "chunks" through contexts alone.
 * The times are sums over the chunks, each the fastest of the repetitions, so that interruptions count little. Creating and freeing
 * containers is not counted. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fastest repetition of every chunk, and the size of all. */
struct result {
  double *compress, *decompress;
  int64_t cbytes;
};

static int32_t piece(const struct job *j, int64_t at) { return (int32_t)(size - at < j->chunk ? size - at : j->chunk); }

static int once_frame(const struct job *j, struct result *r) {
  blosc2_cparams c = cparams_of(j);
  blosc2_dparams d = dparams_of(j);
  blosc2_storage storage = {.contiguous = false, .cparams = &c, .dparams = &d};
  blosc2_schunk *s = blosc2_schunk_new(&storage);
  if (s == NULL) return fail("schunk_new", 0);
  int64_t n = 0;
  for (int64_t at = 0; at < size; at += j->chunk, n++) {
    double t0 = now_for(j->threads);
    int64_t rc = blosc2_schunk_append_buffer(s, data + at, piece(j, at));
    if (rc < 0) return fail("append", (long)rc);
    keep(&r->compress[n], now_for(j->threads) - t0);
  }
  n = 0;
  for (int64_t at = 0; at < size; at += j->chunk, n++) {
    double t0 = now_for(j->threads);
    int rc = blosc2_schunk_decompress_chunk(s, n, back + at, piece(j, at));
    if (rc < 0) return fail("decompress", rc);
    keep(&r->decompress[n], now_for(j->threads) - t0);
  }
  r->cbytes = s->cbytes;
  blosc2_schunk_free(s);
  return 0;
}

/* Each chunk has a place of its own in one buffer. */
static int once_chunk(const struct job *j, struct result *r) {
  int64_t slots = (size + j->chunk - 1) / j->chunk;
  size_t slot = (size_t)j->chunk + BLOSC2_MAX_OVERHEAD;
  uint8_t *out = malloc((size_t)slots * slot);
  if (out == NULL) return fail("malloc", 0);
  memset(out, 1, (size_t)slots * slot);
  blosc2_context *cctx = blosc2_create_cctx(cparams_of(j));
  blosc2_context *dctx = blosc2_create_dctx(dparams_of(j));
  r->cbytes = 0;
  for (int64_t i = 0; i < slots; i++) {
    int64_t at = i * j->chunk;
    double t0 = now_for(j->threads);
    int rc = blosc2_compress_ctx(cctx, data + at, piece(j, at), out + (size_t)i * slot, (int32_t)slot);
    if (rc <= 0) return fail("compress", rc);
    keep(&r->compress[i], now_for(j->threads) - t0);
    r->cbytes += rc;
  }
  for (int64_t i = 0; i < slots; i++) {
    int64_t at = i * j->chunk;
    double t0 = now_for(j->threads);
    int rc = blosc2_decompress_ctx(dctx, out + (size_t)i * slot, (int32_t)slot, back + at, piece(j, at));
    if (rc < 0) return fail("decompress", rc);
    keep(&r->decompress[i], now_for(j->threads) - t0);
  }
  blosc2_free_ctx(cctx);
  blosc2_free_ctx(dctx);
  free(out);
  return 0;
}

int chunk_command(const char *line) {
  struct job j;
  char layer[16];
  int reps;
  if (sscanf(line, "%15s %d %d %d %d %d %d %d", layer, &j.codec, &j.level, &j.filter, &j.typesize, &j.threads, &j.chunk, &reps) != 8) return 0;
  int loose = strcmp(layer, "frames") == 0;
  if (!loose && strcmp(layer, "chunks") != 0) return 0;
  int64_t n = (size + j.chunk - 1) / j.chunk;
  struct result r = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)), 0};
  int rc = 0;
  for (int i = 0; i < reps && rc == 0; i++) rc = loose ? once_frame(&j, &r) : once_chunk(&j, &r);
  double compress = 0, decompress = 0;
  for (int64_t i = 0; i < n; i++) {
    compress += r.compress[i];
    decompress += r.decompress[i];
  }
  free(r.compress);
  free(r.decompress);
  if (rc < 0) return 1;
  if (memcmp(data, back, (size_t)size) != 0) {
    fail("the data came back changed", 0);
    return 1;
  }
  printf("{\"seconds\": [%.9f, %.9f], \"size\": %lld}\n", compress, decompress, (long long)r.cbytes);
  return 1;
}
