/* Codecs, filters and memcpy alone:
 *
 *   codec CODEC LEVEL BLOCK REPS              compress and decompress the data, fastest repetition of each block
 *   filter shuffle|bitshuffle TYPESIZE BLOCK RUNS REPS   forward and back over the first BLOCK bytes; fastest of REPS means of RUNS
 *   memcpy THREADS REPS                       copy all of the data, fastest repetition
 *
 * The codecs are the copies inside the Blosc2 library, called with the settings that it derives from a level. Its BloscLZ cannot be called
 * from outside. */
#include "driver.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the wheel's library, though none of its headers says so. */
extern int LZ4_compress_fast(const char *src, char *dst, int n, int room, int acceleration);
extern int LZ4_compress_HC(const char *src, char *dst, int n, int room, int level);
extern int LZ4_decompress_safe(const char *src, char *dst, int n, int room);
extern void *ZSTD_createCCtx(void);
extern void *ZSTD_createDCtx(void);
extern size_t ZSTD_compressCCtx(void *ctx, void *dst, size_t room, const void *src, size_t n, int level);
extern size_t ZSTD_decompressDCtx(void *ctx, void *dst, size_t room, const void *src, size_t n);
extern int32_t zng_compress2(uint8_t *dst, size_t *room, const uint8_t *src, size_t n, int32_t level);
extern int32_t zng_uncompress(uint8_t *dst, size_t *room, const uint8_t *src, size_t n);

static void *cctx, *dctx;

static int zstd_level(int level) {
  return level >= 9 ? 22 : level < 1 ? 1 : 2 * level - 1;
}

/* Returns the compressed size, or something that is not positive. */
static int64_t encode(int codec, int level, uint8_t *dst, size_t room, const uint8_t *src, size_t n) {
  switch (codec) {
    case BLOSC_LZ4: return LZ4_compress_fast((const char *)src, (char *)dst, (int)n, (int)room, 10 - level);
    case BLOSC_LZ4HC: return LZ4_compress_HC((const char *)src, (char *)dst, (int)n, (int)room, level);
    case BLOSC_ZLIB: return zng_compress2(dst, &room, src, n, level) == 0 ? (int64_t)room : -1;
    case BLOSC_ZSTD: {
      size_t rc = ZSTD_compressCCtx(cctx, dst, room, src, n, zstd_level(level));
      return rc <= room ? (int64_t)rc : -1;
    }
  }
  return -1;
}

static int64_t decode(int codec, uint8_t *dst, size_t room, const uint8_t *src, size_t n) {
  switch (codec) {
    case BLOSC_LZ4:
    case BLOSC_LZ4HC: return LZ4_decompress_safe((const char *)src, (char *)dst, (int)n, (int)room);
    case BLOSC_ZLIB: return zng_uncompress(dst, &room, src, n) == 0 ? (int64_t)room : -1;
    case BLOSC_ZSTD: return (int64_t)ZSTD_decompressDCtx(dctx, dst, room, src, n);
  }
  return -1;
}

static void time_codec(int codec, int level, int block, int reps) {
  size_t slots = (size_t)((size + block - 1) / block), slot = (size_t)block + (size_t)block / 8 + 1024;
  uint8_t *out = malloc(slots * slot);
  int64_t *lens = malloc(slots * sizeof *lens), total = 0;
  double *best[2] = {calloc(slots, sizeof(double)), calloc(slots, sizeof(double))}, sum[2] = {0, 0};
  if (out == NULL || lens == NULL || best[0] == NULL || best[1] == NULL) {
    fail("malloc", 0);
    return;
  }
  if (cctx == NULL) cctx = ZSTD_createCCtx();
  if (dctx == NULL) dctx = ZSTD_createDCtx();
  memset(out, 1, slots * slot);
  for (int r = 0; r < reps; r++) {
    total = 0;
    for (size_t i = 0; i < slots; i++) {
      int64_t at = (int64_t)i * block, n = size - at < block ? size - at : block;
      double t0 = now_for(1);
      lens[i] = encode(codec, level, out + i * slot, slot, data + at, (size_t)n);
      keep(&best[0][i], now_for(1) - t0);
      total += lens[i];
    }
    for (size_t i = 0; i < slots; i++) {
      int64_t at = (int64_t)i * block, n = size - at < block ? size - at : block;
      double t0 = now_for(1);
      if (lens[i] <= 0 || decode(codec, back + at, (size_t)n, out + i * slot, (size_t)lens[i]) != n) {
        fail("codec", (long)lens[i]);
        goto done;
      }
      keep(&best[1][i], now_for(1) - t0);
    }
  }
  for (size_t i = 0; i < slots; i++) {
    sum[0] += best[0][i];
    sum[1] += best[1][i];
  }
  if (memcmp(data, back, (size_t)size) != 0) {
    fail("the data came back changed", 0);
  } else {
    printf("{\"seconds\": [%.9f, %.9f], \"size\": %lld}\n", sum[0], sum[1], (long long)total);
  }
done:
  free(best[0]);
  free(best[1]);
  free(out);
  free(lens);
}

static void time_filter(int bits, int typesize, int block, int runs, int reps) {
  uint8_t *there = aligned_alloc(64, (size_t)block), *again = aligned_alloc(64, (size_t)block), *src = aligned_alloc(64, (size_t)block);
  memcpy(src, data, (size_t)block);
  double best[2] = {0, 0};
  for (int r = 0; r < reps; r++) {
    double t0 = now();
    for (int i = 0; i < runs; i++) bits ? blosc2_bitshuffle(typesize, block, src, there) : blosc2_shuffle(typesize, block, src, there);
    double t1 = now();
    for (int i = 0; i < runs; i++) bits ? blosc2_bitunshuffle(typesize, block, there, again) : blosc2_unshuffle(typesize, block, there, again);
    double t2 = now();
    if (r == 0 || t1 - t0 < best[0]) best[0] = t1 - t0;
    if (r == 0 || t2 - t1 < best[1]) best[1] = t2 - t1;
  }
  if (memcmp(src, again, (size_t)block) != 0) {
    fail("the block came back changed", 0);
  } else {
    printf("{\"seconds\": [%.9f, %.9f], \"size\": 0}\n", best[0] / runs, best[1] / runs);
  }
  free(there);
  free(again);
  free(src);
}

struct half {
  int64_t from, to;
};

static void *copy_half(void *p) {
  struct half *h = p;
  memcpy(back + h->from, data + h->from, (size_t)(h->to - h->from));
  return NULL;
}

static void time_memcpy(int threads, int reps) {
  double best = 0;
  pthread_t ids[16];
  struct half parts[16];
  if (threads < 1 || threads > 16) threads = 1;
  for (int r = 0; r < reps; r++) {
    double t0 = now();
    for (int i = 0; i < threads; i++) {
      parts[i] = (struct half){size * i / threads, size * (i + 1) / threads};
      if (i > 0) pthread_create(&ids[i], NULL, copy_half, &parts[i]);
    }
    copy_half(&parts[0]);
    for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
    double t = now() - t0;
    if (r == 0 || t < best) best = t;
  }
  printf("{\"seconds\": [%.9f, %.9f], \"size\": 0}\n", best, best);
}

int part_command(const char *line) {
  char name[16];
  int a, b, c, d, e;
  if (sscanf(line, "codec %d %d %d %d", &a, &b, &c, &d) == 4) {
    time_codec(a, b, c, d);
  } else if (sscanf(line, "filter %15s %d %d %d %d", name, &b, &c, &d, &e) == 5 && c <= size) {
    time_filter(strcmp(name, "bitshuffle") == 0, b, c, d, e);
  } else if (sscanf(line, "memcpy %d %d", &a, &b) == 2) {
    time_memcpy(a, b);
  } else {
    return 0;
  }
  return 1;
}
