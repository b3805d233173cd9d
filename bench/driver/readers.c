/* Each reader on each writer's frames:
 *
 *   frame-write PATH CODEC LEVEL FILTER TYPESIZE THREADS CHUNK    write the data into a frame in a file
 *   frame-read REPS CHUNK PATH PATH                               read both frames into memory, then decompress them, with one thread
 *
 * frame-read takes a chunk of one frame and the same chunk of the other in turn. It answers with two times, the sums of the fastest
 * repetition of each chunk: a chunk takes so little time that some repetitions are not interrupted. Both frames share a context and
 * buffers: the same stream can take an eighth longer from, through or to another place in memory. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_frame(char *path, const struct job *j) {
  blosc2_cparams c = cparams_of(j);
  blosc2_dparams d = dparams_of(j);
  blosc2_storage storage = {.contiguous = true, .urlpath = path, .cparams = &c, .dparams = &d};
  remove(path);
  blosc2_schunk *s = blosc2_schunk_new(&storage);
  int64_t rc = s == NULL ? -1 : 0, cbytes = 0;
  for (int64_t at = 0; at < size && rc >= 0; at += j->chunk) {
    rc = blosc2_schunk_append_buffer(s, data + at, (int32_t)(size - at < j->chunk ? size - at : j->chunk));
  }
  if (s != NULL) {
    cbytes = s->cbytes;
    blosc2_schunk_free(s);
  }
  if (rc < 0) {
    fail("write", (long)rc);
  } else {
    printf("{\"seconds\": [], \"size\": %lld}\n", (long long)cbytes);
  }
}

/* Reads a whole file; the caller frees it. */
static uint8_t *slurp(const char *path, int64_t *n) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  fseek(f, 0, SEEK_END);
  *n = ftell(f);
  fseek(f, 0, SEEK_SET);
  uint8_t *out = malloc((size_t)*n);
  if (out != NULL && fread(out, 1, (size_t)*n, f) != (size_t)*n) {
    free(out);
    out = NULL;
  }
  fclose(f);
  return out;
}

static void read_frames(int reps, int chunk, char path[2][2000]) {
  uint8_t *raw[2] = {NULL, NULL};
  blosc2_schunk *s[2] = {NULL, NULL};
  double sum[2] = {0, 0};
  long rc = 0;
  blosc2_context *ctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
  uint8_t *src = malloc((size_t)chunk + BLOSC2_MAX_OVERHEAD);
  for (int i = 0; i < 2 && rc >= 0; i++) {
    int64_t n;
    raw[i] = slurp(path[i], &n);
    if (raw[i] != NULL) s[i] = blosc2_schunk_from_buffer(raw[i], n, false);
    if (s[i] == NULL || s[i]->nbytes != size) rc = -1;
  }
  for (int64_t at = 0, n = 0; at < size && rc >= 0; at += chunk, n++) {
    int32_t length = (int32_t)(size - at < chunk ? size - at : chunk);
    double best[2] = {0, 0};
    for (int r = 0; r < 2 * reps && rc >= 0; r++) {
      uint8_t *c;
      bool needs_free;
      int cbytes = blosc2_schunk_get_chunk(s[r % 2], n, &c, &needs_free);
      if (cbytes < 0 || cbytes > chunk + BLOSC2_MAX_OVERHEAD) {
        rc = -2;
        break;
      }
      memcpy(src, c, (size_t)cbytes);
      if (needs_free) free(c);
      double t0 = now_for(1);
      rc = blosc2_decompress_ctx(ctx, src, cbytes, back + at, length);
      keep(&best[r % 2], now_for(1) - t0);
      if (r < 2 && rc >= 0 && memcmp(data + at, back + at, (size_t)length) != 0) rc = -1000;
    }
    sum[0] += best[0];
    sum[1] += best[1];
  }
  for (int i = 0; i < 2; i++) {
    if (s[i] != NULL) blosc2_schunk_free(s[i]);
    free(raw[i]);
  }
  free(src);
  blosc2_free_ctx(ctx);
  if (rc < 0) {
    fail("read", rc);
  } else {
    printf("{\"seconds\": [%.9f, %.9f], \"size\": 0}\n", sum[0], sum[1]);
  }
}

int reader_command(const char *line) {
  char path[2][2000];
  struct job j;
  int reps, chunk;
  if (sscanf(line, "frame-write %1999s %d %d %d %d %d %d", path[0], &j.codec, &j.level, &j.filter, &j.typesize, &j.threads, &j.chunk) == 7) {
    write_frame(path[0], &j);
    return 1;
  }
  if (sscanf(line, "frame-read %d %d %1999s %1999s", &reps, &chunk, path[0], path[1]) == 4) {
    read_frames(reps, chunk, path);
    return 1;
  }
  return 0;
}
