/* Records what a process does to the files below one directory, as a trace (internal/storagetest/trace.go says how one looks).
 *
 * Loaded with LD_PRELOAD. RECORD_ROOT is the directory, RECORD_OUT the trace. The process marks its actions by calling record_begin and
 * record_end; what it does outside of them is not written down. Needs nothing but libc, and one thread that writes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static FILE *out;
static int recording;

static FILE *output(void) {
	if (!out) {
		const char *path = getenv("RECORD_OUT");
		out = path ? NEXT(fopen)(path, "wb") : NULL;
		if (!out) {
			fprintf(stderr, "recorder: RECORD_OUT cannot be written\n");
			exit(2);
		}
	}
	return out;
}

static void put(const void *p, size_t n) {
	if (fwrite(p, 1, n, output()) != n) {
		perror("recorder");
		exit(2);
	}
}

static void put_text(const char *s) {
	uint16_t n = (uint16_t)strlen(s);
	put(&n, 2);
	put(s, n);
}

/* The path below the root, or NULL if it is elsewhere. */
static const char *inside(const char *path) {
	const char *root = getenv("RECORD_ROOT");
	size_t n = root ? strlen(root) : 0;
	return n && path && !strncmp(path, root, n) && path[n] == '/' ? path + n + 1 : NULL;
}

static const char *inside_fd(int fd, char *buf, size_t size) {
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, buf, size - 1);
	if (n < 0)
		return NULL;
	buf[n] = 0;
	return inside(buf);
}

static void event(char kind, const char *path, const char *to, int64_t offset, const void *data, int64_t n) {
	if (!path || !recording)
		return;
	put(&kind, 1);
	put_text(path);
	put_text(to);
	put(&offset, 8);
	put(&n, 8);
	put(data, (size_t)n);
}

void record_begin(const char *name) {
	put("O", 1);
	put_text(name);
	recording = 1;
}

void record_end(void) {
	static const char end[20] = {1};
	recording = 0;
	put("E", 1);
	put(end, sizeof end);
	fflush(output());
}

FILE *fopen(const char *path, const char *mode) {
	FILE *f = NEXT(fopen)(path, mode);
	if (f && mode[0] == 'w')
		event('C', inside(path), "", 0, "", 0);
	return f;
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

ssize_t pwrite(int fd, const void *p, size_t n, off_t off) {
	char buf[4096];
	ssize_t done = NEXT(pwrite)(fd, p, n, off);
	if (done > 0)
		event('W', inside_fd(fd, buf, sizeof buf), "", off, p, done);
	return done;
}

ssize_t pwrite64(int fd, const void *p, size_t n, off_t off) { return pwrite(fd, p, n, off); }

int ftruncate(int fd, off_t size) {
	char buf[4096];
	int rc = NEXT(ftruncate)(fd, size);
	if (!rc)
		event('T', inside_fd(fd, buf, sizeof buf), "", size, "", 0);
	return rc;
}

int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int remove(const char *path) {
	int rc = NEXT(remove)(path);
	if (!rc)
		event('R', inside(path), "", 0, "", 0);
	return rc;
}

int unlink(const char *path) {
	int rc = NEXT(unlink)(path);
	if (!rc)
		event('R', inside(path), "", 0, "", 0);
	return rc;
}

int rename(const char *from, const char *to) {
	int rc = NEXT(rename)(from, to);
	if (!rc)
		event('N', inside(from), inside(to) ? inside(to) : "", 0, "", 0);
	return rc;
}
