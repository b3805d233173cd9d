/* Writes chunks and frames with an early C-Blosc2: see ../early.py, which compiles this once for each version, against its header.
 *
 *     early chunk|frame|sframe FILE DATA CODEC LEVEL TYPESIZE BLOCKSIZE CHUNKSIZE FILTERS DICT [LAYER CONTENT [USERMETA]]
 *
 * FILTERS are id:parameter pairs with commas between them, the last of them for the last slot. GENERATION says what the interface is like:
 * 0 alphas, 1 first beta, 2 later betas, 3 release candidates and releases.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER

#if GENERATION == 0
#define DEFAULTS BLOSC_CPARAMS_DEFAULTS
#define MAX_FILTERS BLOSC_MAX_FILTERS
#elif GENERATION == 1
#define DEFAULTS BLOSC_CPARAMS_DEFAULTS
#define DECODING BLOSC_DPARAMS_DEFAULTS
#define MAX_FILTERS BLOSC2_MAX_FILTERS
#else
#define DEFAULTS BLOSC2_CPARAMS_DEFAULTS
#define DECODING BLOSC2_DPARAMS_DEFAULTS
#define MAX_FILTERS BLOSC2_MAX_FILTERS
#endif

static void fail(const char *what, long code) {
    fprintf(stderr, "%s: %ld\n", what, code);
    exit(1);
}

static char *slurp(const char *name, long *size) {
    FILE *f = fopen(name, "rb");
    if (!f) fail("open", 0);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    if (fread(data, 1, *size, f) != (size_t)*size) fail("read", *size);
    fclose(f);
    return data;
}

static void parse_filters(char *list, blosc2_cparams *p) {
    int ids[MAX_FILTERS], metas[MAX_FILTERS], n = 0;
    for (char *one = strtok(list, ","); one && n < MAX_FILTERS; one = strtok(NULL, ","), n++) {
        if (sscanf(one, "%d:%d", &ids[n], &metas[n]) != 2) fail("filter", n);
    }
    memset(p->filters, 0, MAX_FILTERS);
    for (int i = 0; i < n; i++) {
        p->filters[MAX_FILTERS - n + i] = ids[i];
        p->filters_meta[MAX_FILTERS - n + i] = metas[i];
    }
}

static void write_chunk(const char *name, blosc2_cparams p, char *data, long size) {
    blosc2_context *c = blosc2_create_cctx(p);
    char *chunk = malloc(size + 1024), *back = malloc(size + 1);
#if GENERATION < 3
    int n = blosc2_compress_ctx(c, size, data, chunk, size + 1024);
#else
    int n = blosc2_compress_ctx(c, data, size, chunk, size + 1024);
#endif
    if (n <= 0) fail("compress", n);
#if GENERATION == 0
    blosc2_dparams dp = BLOSC_DPARAMS_DEFAULTS;
#else
    blosc2_dparams dp = DECODING;
#endif
    blosc2_context *d = blosc2_create_dctx(dp);
#if GENERATION < 3
    int m = blosc2_decompress_ctx(d, chunk, back, size);
#else
    int m = blosc2_decompress_ctx(d, chunk, n, back, size);
#endif
    if (m != size || memcmp(back, data, size) != 0) fprintf(stderr, "lossy or misread: %d of %ld bytes\n", m, size);
    FILE *f = fopen(name, "wb");
    fwrite(chunk, 1, n, f);
    fclose(f);
}

#if GENERATION > 0
static void fill(blosc2_schunk *s, char *data, long size, long chunk) {
    for (long at = 0; at < size; at += chunk) {
        long n = size - at < chunk ? size - at : chunk;
        int done = blosc2_schunk_append_buffer(s, data + at, n);
        if (done < 0) fail("append", done);
    }
}

static void compare(blosc2_schunk *s, char *data, long size, long chunk) {
    char *back = malloc(chunk + 1);
    for (long at = 0, i = 0; at < size; at += chunk, i++) {
        long n = size - at < chunk ? size - at : chunk;
        int got = blosc2_schunk_decompress_chunk(s, i, back, chunk);
        if (got != n || memcmp(back, data + at, n) != 0) fprintf(stderr, "chunk %ld is lossy or misread: %d of %ld bytes\n", i, got, n);
    }
    free(back);
}
#endif

#if GENERATION == 1 || GENERATION == 2
static void write_frame(const char *name, blosc2_cparams p, char *data, long size, long chunk, int sparse, char **rest, int n) {
    blosc2_dparams d = DECODING;
    blosc2_frame *frame = blosc2_new_frame((char *)name);
    (void)sparse;
#if GENERATION == 1
    if (n > 1) blosc2_frame_add_metalayer(frame, rest[0], (uint8_t *)rest[1], strlen(rest[1]));
#endif
    blosc2_schunk *s = blosc2_new_schunk(p, d, frame);
#if GENERATION == 2
    if (n > 1) blosc2_add_metalayer(s, rest[0], (uint8_t *)rest[1], strlen(rest[1]));
#endif
    fill(s, data, size, chunk);
#if GENERATION == 2
    if (n > 2) blosc2_update_usermeta(s, (uint8_t *)rest[2], strlen(rest[2]), DEFAULTS);
#endif
    blosc2_free_schunk(s);
    blosc2_frame *again = blosc2_frame_from_file(name);
    if (!again) fail("open again", 0);
    compare(blosc2_schunk_from_frame(again, false), data, size, chunk);
}
#elif GENERATION == 3
static void write_frame(const char *name, blosc2_cparams p, char *data, long size, long chunk, int sparse, char **rest, int n) {
    blosc2_dparams d = DECODING;
    blosc2_storage storage = {.contiguous = !sparse, .urlpath = (char *)name, .cparams = &p, .dparams = &d};
    blosc2_schunk *s = blosc2_schunk_new(&storage);
    if (!s) fail("new", 0);
    if (n > 1) blosc2_meta_add(s, rest[0], (uint8_t *)rest[1], strlen(rest[1]));
    fill(s, data, size, chunk);
    if (n > 2) blosc2_vlmeta_add(s, "user", (uint8_t *)rest[2], strlen(rest[2]), NULL);
    blosc2_schunk_free(s);
    s = blosc2_schunk_open(name);
    if (!s) fail("open again", 0);
    compare(s, data, size, chunk);
}
#endif

int main(int argc, char **argv) {
    if (argc < 11) fail("arguments", argc);
    blosc_init();
    long size;
    char *data = slurp(argv[3], &size);
    blosc2_cparams p = DEFAULTS;
    p.compcode = atoi(argv[4]);
    p.clevel = atoi(argv[5]);
    p.typesize = atoi(argv[6]);
    p.blocksize = atoi(argv[7]);
    p.nthreads = 1;
    p.use_dict = atoi(argv[10]);
    parse_filters(argv[9], &p);
    if (strcmp(argv[1], "chunk") == 0) {
        write_chunk(argv[2], p, data, size);
#if GENERATION > 0
    } else {
        write_frame(argv[2], p, data, size, atol(argv[8]), argv[1][0] == 's', argv + 11, argc - 11);
#endif
    }
    return 0;
}
