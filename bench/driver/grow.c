/* Frames that grow:
 *
 *   append PATH CODEC LEVEL FILTER TYPESIZE THREADS CHUNK WINDOW N MARK…   append chunks up to the last mark; the mean time of
 *                                                                        the WINDOW appends before each mark
 *   open PATH CHUNK                                                      open a frame and decompress its last chunk
 *
 * The chunks are pieces of the data, which starts over when it is used up. PATH - is a contiguous frame in memory, else one in a file. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static blosc2_schunk *create(char *path, const struct job *j) {
  blosc2_cparams c = cparams_of(j);
  blosc2_dparams d = dparams_of(j);
  blosc2_storage storage = {.contiguous = true, .cparams = &c, .dparams = &d};
  if (strcmp(path, "-") != 0) {
    storage.urlpath = path;
    remove(path);
  }
  return blosc2_schunk_new(&storage);
}

static const uint8_t *piece(const struct job *j, int64_t i) { return data + i % (size / j->chunk) * j->chunk; }

static void append(char *path, const struct job *j, int64_t window, const int64_t *marks, int n) {
  blosc2_schunk *s = create(path, j);
  double took[16], begun = 0;
  int at = 0;
  for (int64_t i = 0; s != NULL && at < n; i++) {
    if (i == marks[at] - window) begun = now();
    int64_t rc = blosc2_schunk_append_buffer(s, piece(j, i), j->chunk);
    if (rc < 0) {
      fail("append", (long)rc);
      blosc2_schunk_free(s);
      return;
    }
    if (i + 1 == marks[at]) took[at++] = (now() - begun) / (double)window;
  }
  printf("{\"seconds\": [");
  for (int i = 0; i < at; i++) printf("%s%.9f", i > 0 ? ", " : "", took[i]);
  printf("], \"size\": %lld}\n", s == NULL ? 0 : (long long)s->cbytes);
  if (s != NULL) blosc2_schunk_free(s);
}

static void open_frame(const char *path, int chunk) {
  uint8_t *out = malloc((size_t)chunk);
  double t0 = now();
  blosc2_schunk *s = blosc2_schunk_open(path);
  int rc = s == NULL ? -1 : blosc2_schunk_decompress_chunk(s, s->nchunks - 1, out, chunk);
  double t = now() - t0;
  if (s != NULL) blosc2_schunk_free(s);
  free(out);
  if (rc < 0) {
    fail("open", rc);
  } else {
    printf("{\"seconds\": [%.9f], \"size\": 0}\n", t);
  }
}

int grow_command(const char *line) {
  char path[3000], what[16];
  struct job j;
  int n, used = 0, chunk;
  long long window, marks[16];
  int64_t ends[16];
  if (sscanf(line, "open %2999s %d", path, &chunk) == 2) {
    open_frame(path, chunk);
    return 1;
  }
  if (sscanf(line, "%15s %2999s %d %d %d %d %d %d %lld%n", what, path, &j.codec, &j.level, &j.filter, &j.typesize, &j.threads, &j.chunk, &window, &used) != 9 ||
      j.chunk > size)
    return 0;
  line += used;
  if (strcmp(what, "append") != 0 || sscanf(line, "%d%n", &n, &used) != 1 || n > 16) return 0;
  for (int i = 0; i < n; i++) {
    line += used;
    if (sscanf(line, "%lld%n", &marks[i], &used) != 1) return 0;
    ends[i] = marks[i];
  }
  append(path, &j, window, ends, n);
  return 1;
}
