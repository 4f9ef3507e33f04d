/*
 * flows - an exact number of UDP datagrams, for a guest without an interpreter
 *
 *   flows send ADDRESS PORT FIRST FLOWS EACH BYTES
 *       EACH datagrams of BYTES from each of the source ports FIRST,
 *       FIRST+1, ... (FLOWS of them) to ADDRESS PORT. Each carries its number,
 *       and a pattern that depends on it, from 4 bytes on.
 *   flows take PORT COUNT SECONDS
 *       Receives on PORT, IPv4 and IPv6, prints "taken N damaged M" and ends
 *       when N is COUNT or nothing came for SECONDS.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 65000, PAUSE_EACH = 32 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void fill(uint8_t *data, size_t len, uint32_t number)
{
    if (len < sizeof(number))
        number = 0; /* has no place there */
    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)(number * 31 + i * 7);
    if (len >= sizeof(number))
        memcpy(data, &number, sizeof(number));
}

static int bound(int family, uint16_t port)
{
    struct sockaddr_in6 any6 = { .sin6_family = AF_INET6,
                                 .sin6_port = htons(port) };
    struct sockaddr_in any4 = { .sin_family = AF_INET,
                                .sin_port = htons(port) };
    int fd = socket(family, SOCK_DGRAM, 0), room = 4 << 20;

    if (fd < 0)
        die("socket");
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
    if (family == AF_INET6 ? bind(fd, (void *)&any6, sizeof(any6))
                           : bind(fd, (void *)&any4, sizeof(any4)))
        die("bind");
    return fd;
}

static int send_flows(char **a)
{
    static uint8_t data[LARGEST];
    const unsigned first = atoi(a[2]), flows = atoi(a[3]);
    const unsigned each = atoi(a[4]), len = atoi(a[5]);
    struct sockaddr_in6 to = { .sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)atoi(a[1])) };
    struct sockaddr_in *to4 = (struct sockaddr_in *)&to;
    uint32_t number = 0;

    if (len > LARGEST) {
        fprintf(stderr, "flows: bad length\n");
        return 2;
    }
    /* Port and family have the same place in both kinds of address. */
    if (inet_pton(AF_INET, a[0], &to4->sin_addr) == 1)
        to4->sin_family = AF_INET;
    else if (inet_pton(AF_INET6, a[0], &to.sin6_addr) != 1)
        die(a[0]);
    for (unsigned f = 0; f < flows; f++) {
        int fd = bound(to.sin6_family, (uint16_t)(first + f));

        for (unsigned i = 0; i < each; i++, number++) {
            fill(data, len, number);
            if (sendto(fd, data, len, 0, (void *)&to, sizeof(to)) !=
                (ssize_t)len)
                die("sendto");
            /* The receiver shares this CPU: let it empty its socket. */
            if (number % PAUSE_EACH == PAUSE_EACH - 1)
                nanosleep(&(struct timespec) { .tv_nsec = 2000000 }, NULL);
        }
        close(fd);
    }
    return 0;
}

static int take(char **a)
{
    static uint8_t data[LARGEST], want[LARGEST];
    const unsigned count = atoi(a[1]);
    struct pollfd p = { .fd = bound(AF_INET6, (uint16_t)atoi(a[0])),
                        .events = POLLIN };
    unsigned taken = 0, damaged = 0;

    printf("ready\n");
    fflush(stdout);
    while (taken < count && poll(&p, 1, atoi(a[2]) * 1000) == 1) {
        ssize_t len = recv(p.fd, data, sizeof(data), 0);
        uint32_t number = 0;

        if (len < 0)
            die("recv");
        if (len >= (ssize_t)sizeof(number))
            memcpy(&number, data, sizeof(number));
        fill(want, (size_t)len, number);
        damaged += memcmp(data, want, (size_t)len) != 0;
        taken++;
    }
    printf("taken %u damaged %u\n", taken, damaged);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "send") == 0)
        return send_flows(argv + 2);
    if (argc == 5 && strcmp(argv[1], "take") == 0)
        return take(argv + 2);
    fprintf(stderr, "flows: send or take, see the source\n");
    return 2;
}
