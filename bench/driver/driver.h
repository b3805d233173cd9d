/* What the parts of the C side share. Each command answers with one line of JSON; times are seconds. */
#ifndef DRIVER_H
#define DRIVER_H

#include <blosc2.h>
#include <stdint.h>

extern uint8_t *data; /* what was loaded */
extern int64_t size;
extern uint8_t *back; /* as large, for what is decompressed */

struct job {
  int codec, level, filter, typesize, threads, chunk;
};

double now(void);
double now_for(int threads); /* of one thread, the processor time, which other work on the machine changes little */
void keep(double *best, double t); /* lowers *best to t; 0 means that there is none yet */
int fail(const char *what, long code); /* answers with an error; returns -1 */
blosc2_cparams cparams_of(const struct job *j);
blosc2_dparams dparams_of(const struct job *j);

/* Every part looks whether a line is for it, and returns 0 if it is not. */
int chunk_command(const char *line);
int part_command(const char *line);
int array_command(const char *line);
int grow_command(const char *line);
int reader_command(const char *line);

#endif
