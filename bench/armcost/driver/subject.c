/* Does one piece of work of C-Blosc2's several times; subject/main.go does the same with cairn. It is linked with the static library of
   the wheel, whose inner functions it can call. */
#include <blosc2.h>
#include <blosc2/codecs-registry.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void delta_encoder(const uint8_t *ref, int32_t offset, int32_t n, int32_t typesize, const uint8_t *src, uint8_t *dst);
void delta_decoder(const uint8_t *ref, int32_t offset, int32_t n, int32_t typesize, uint8_t *dst);
int bytedelta_forward(const uint8_t *src, uint8_t *dst, int32_t n, uint8_t meta, blosc2_cparams *p, uint8_t id);
int bytedelta_backward(const uint8_t *src, uint8_t *dst, int32_t n, uint8_t meta, blosc2_dparams *p, uint8_t id);
int truncate_precision(int8_t bits, int32_t typesize, int32_t n, const uint8_t *src, uint8_t *dst);
uint32_t adler32_neon(uint32_t sum, const uint8_t *src, size_t n);

static uint8_t *src, *dst;
static int32_t n, encoded, typesize;
static blosc2_context *context;
static volatile uint32_t sum;
static blosc2_cparams cparams;
static blosc2_dparams dparams;

static uint8_t *load(const char *path, int32_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END)) return NULL;
  *size = (int32_t)ftell(f);
  rewind(f);
  uint8_t *b = aligned_alloc(64, ((size_t)*size + 4096 + 63) / 64 * 64);
  if (!b || fread(b, 1, (size_t)*size, f) != (size_t)*size) return NULL;
  fclose(f);
  return b;
}

static int once(int encode, const char *name) {
  if (!strcmp(name, "shuffle")) return encode ? blosc2_shuffle(typesize, n, src, dst) : blosc2_unshuffle(typesize, n, src, dst);
  if (!strcmp(name, "bitshuffle")) return encode ? blosc2_bitshuffle(typesize, n, src, dst) : blosc2_bitunshuffle(typesize, n, src, dst);
  if (!strcmp(name, "bytedelta"))
    return encode ? bytedelta_forward(src, dst, n, (uint8_t)typesize, &cparams, 0) : bytedelta_backward(src, dst, n, (uint8_t)typesize, &dparams, 0);
  if (!strcmp(name, "truncprec")) return truncate_precision(8, typesize, n, src, dst);
  if (!strcmp(name, "adler32")) return sum = adler32_neon(1, src, (size_t)n), 0;
  if (strcmp(name, "delta")) return -1;
  if (encode) delta_encoder(src, 0, n, typesize, src, dst);
  else delta_decoder(dst, 0, n, typesize, dst);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 7 || !(src = load(argv[4], &n)) || !(dst = aligned_alloc(64, (size_t)n * 2 + 4096))) return 2;
  const char *work = argv[1], *name = argv[2];
  typesize = atoi(argv[3]);
  int filter = !strcmp(work, "forth") || !strcmp(work, "back"), encode = !strcmp(work, "encode");
  blosc2_init();
  cparams = BLOSC2_CPARAMS_DEFAULTS;
  dparams = BLOSC2_DPARAMS_DEFAULTS;
  if (encode) {
    cparams.compcode = (uint8_t)blosc2_compname_to_compcode(name);
    cparams.typesize = typesize;
    cparams.blocksize = n;
    context = blosc2_create_cctx(cparams);
  } else if (!filter) {
    context = blosc2_create_dctx(dparams);
    uint8_t *whole = dst;
    int32_t room = n;
    if (!(src = load(argv[5], &encoded))) return 2;
    dst = whole;
    n = room;
  }
  for (int k = atoi(argv[6]); k > 0; k--) {
    int status = filter ? once(!strcmp(work, "forth"), name)
                 : encode ? (encoded = blosc2_compress_ctx(context, src, n, dst, n + BLOSC2_MAX_OVERHEAD))
                          : blosc2_decompress_ctx(context, src, encoded, dst, n);
    if (status < 0) return fprintf(stderr, "subject: %s %s: error %d\n", work, name, status), 1;
  }
  if (!encode) return 0;
  FILE *f = fopen(argv[5], "wb");
  return !f || fwrite(dst, 1, (size_t)encoded, f) != (size_t)encoded || fclose(f);
}
