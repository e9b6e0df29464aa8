#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Shifts the realtime clock by as many seconds as the file of CLOCK_SHIFT_FILE says. Allocates nothing: an allocator may
   ask for the time while it starts. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    const char *path = getenv("CLOCK_SHIFT_FILE");
    if (result != 0 || clock != CLOCK_REALTIME || !path) return result;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return result;
    char text[32] = {0};
    if (read(file, text, sizeof text - 1) > 0) now->tv_sec += strtol(text, NULL, 10);
    close(file);
    return result;
}
