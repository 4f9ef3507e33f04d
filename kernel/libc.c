/*
 * libc.c - what newlib asks of a system, answered by one without files
 *
 * The C library serves the control core: its stdio and errno are one global
 * state. The parts without state (memcpy, strlen, snprintf into the caller's
 * buffer) are free for every core.
 *
 *   C1  the heap is HEAP_BYTES and never grows: what runs the appliance comes
 *       from mm/, malloc only serves the library itself
 *   C2  descriptors 0, 1 and 2 are the console; there are no others
 *   C3  a lock is free (depth 0) or owned by one core, which may take a
 *       recursive one again
 *
 * The names are fixed by newlib (libc/syscalls, sys/lock.h).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/lock.h>
#include <sys/stat.h>

#include <millrace/compiler.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#define HEAP_BYTES (64 * 1024)

int close(int fd);
int fstat(int fd, struct stat *st);
int isatty(int fd);
int kill(int pid, int signal);
int getpid(void);
int open(const char *path, int flags, ...);
long lseek(int fd, long offset, int whence);
long read(int fd, void *to, size_t bytes);
long write(int fd, const void *from, size_t bytes);
void *sbrk(ptrdiff_t bytes);
noreturn void _exit(int code);

static char heap[HEAP_BYTES] __attribute__((aligned(16)));
static size_t heap_used;

void *sbrk(ptrdiff_t bytes)
{
    void *const was = heap + heap_used;

    if (bytes > (ptrdiff_t)(HEAP_BYTES - heap_used) ||
        bytes < -(ptrdiff_t)heap_used) {
        errno = ENOMEM;
        return (void *)-1;
    }
    heap_used += (size_t)bytes;
    return was;
}

static bool is_console(int fd)
{
    return fd >= 0 && fd <= 2;
}

static int refuse(int why)
{
    errno = why;
    return -1;
}

long write(int fd, const void *from, size_t bytes)
{
    if (!is_console(fd))
        return refuse(EBADF);
    plat_console_write(from, bytes);
    return (long)bytes;
}

/* Never waits: no input is the end of the file. */
long read(int fd, void *to, size_t bytes)
{
    size_t n = 0;
    int c;

    if (!is_console(fd))
        return refuse(EBADF);
    while (n < bytes && (c = plat_console_read()) >= 0)
        ((char *)to)[n++] = (char)c;
    return (long)n;
}

int isatty(int fd)
{
    if (is_console(fd))
        return 1;
    errno = EBADF;
    return 0;
}

int fstat(int fd, struct stat *st)
{
    if (!is_console(fd))
        return refuse(EBADF);
    *st = (struct stat) { .st_mode = S_IFCHR };
    return 0;
}

int close(int fd)
{
    return is_console(fd) ? 0 : refuse(EBADF);
}

long lseek(int fd, long offset, int whence)
{
    (void)offset;
    (void)whence;
    return refuse(is_console(fd) ? ESPIPE : EBADF);
}

int open(const char *path, int flags, ...)
{
    (void)path;
    (void)flags;
    return refuse(ENOENT);
}

/* There are no processes: only the library's abort() comes here. */
int getpid(void)
{
    return 1;
}

int kill(int pid, int signal)
{
    panic("libc: raised signal %d for process %d", signal, pid);
}

void _exit(int code)
{
    panic("libc: exit(%d)", code);
}

struct __lock {
    unsigned owner; /* lcore + 1, 0 when free */
    unsigned depth;
};

struct __lock __lock___sinit_recursive_mutex;
struct __lock __lock___sfp_recursive_mutex;
struct __lock __lock___atexit_recursive_mutex;
struct __lock __lock___at_quick_exit_mutex;
struct __lock __lock___malloc_recursive_mutex;
struct __lock __lock___env_recursive_mutex;
struct __lock __lock___tz_mutex;
struct __lock __lock___dd_hash_mutex;
struct __lock __lock___arc4random_mutex;

/* Streams come and go with their locks; sharing one is slow, never wrong. */
static struct __lock stream_lock;

static bool lock_try(struct __lock *lock)
{
    const unsigned me = plat_lcore_id() + 1;
    unsigned nobody = 0;

    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != me &&
        !__atomic_compare_exchange_n(&lock->owner, &nobody, me, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    lock->depth++;
    return true;
}

static void lock_take(struct __lock *lock)
{
    while (!lock_try(lock))
        plat_pause();
}

static void lock_release(struct __lock *lock)
{
    if (--lock->depth == 0)
        __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

void __retarget_lock_init(_LOCK_T *lock)
{
    *lock = &stream_lock;
}

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    *lock = &stream_lock;
}

void __retarget_lock_close(_LOCK_T lock)
{
    (void)lock;
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    (void)lock;
}

void __retarget_lock_acquire(_LOCK_T lock)
{
    lock_take(lock);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    lock_take(lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
    return lock_try(lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    return lock_try(lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
    lock_release(lock);
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    lock_release(lock);
}
