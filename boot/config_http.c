/*
 * config_http.c - configuration from the web server that sent us
 *
 * UEFI HTTP boot leaves neither a file system nor the PXE base code behind, but
 * the URL of the image in its device path, and the firmware's HTTP client on
 * the NIC. Each name gets a client of its own: an answer that is not wanted is
 * dropped with its connection, and nothing is left when the firmware leaves.
 */
#include <string.h>

#include "boot/http.h"
#include "boot/loader.h"

#define HTTP_WAIT_S    30
#define SECOND_100NS   UINT64_C(10000000)
#define URL_MAX        (BOOT_URI_MAX + BOOT_NAME_ROOM)
#define LENGTH_HEADER  "content-length"
#define REQUEST_FIELDS 3

static const EFI_GUID binding_guid = HTTP_SERVICE_BINDING_GUID;
static const EFI_GUID http_guid = HTTP_GUID;

/* One conversation. */
struct talk {
    struct loader *l;
    struct http_binding *binding;
    EFI_HANDLE child;
    struct http *http;
    EFI_EVENT done, alarm;
    bool has_answer;
    unsigned code;   /* of the answer, 0 = none that we know */
    uint64_t length; /* of the whole body, told by the server */
};

static struct http_binding *find_binding(struct loader *l)
{
    return protocol_on(l, handle_with(l, l->self->DeviceHandle, &binding_guid),
                       &binding_guid);
}

static bool open_http(void *ctx, char *where, size_t room)
{
    struct loader *l = ctx;

    if (l->from.uri[0] == '\0' || find_binding(l) == NULL ||
        !boot_url_beside(l->from.uri, "", where, room))
        return false;
    if (l->from.has_ipv4)
        return true;
    loader_note(l, "booted over IPv6: HTTP is not asked for a configuration");
    return false;
}

/* ---- one conversation ---- */

static void talk_close(struct talk *t)
{
    if (t->alarm != NULL)
        t->l->bs->CloseEvent(t->alarm);
    if (t->http != NULL)
        t->http->configure(t->http, NULL);
    if (t->child != NULL)
        t->binding->destroy_child(t->binding, t->child);
    if (t->done != NULL)
        t->l->bs->CloseEvent(t->done);
}

static EFI_STATUS talk_configure(struct talk *t)
{
    static const uint8_t none[4];
    const struct boot_devpath *from = &t->l->from;
    struct http_ipv4 ipv4 = {
        .use_default = memcmp(from->mask, none, sizeof(none)) == 0,
    };
    struct http_config config = {
        .version = HTTP_1_1,
        .timeout_ms = HTTP_WAIT_S * 1000,
        .ipv4 = &ipv4,
    };

    /* The lease is the boot driver's own, not the interface's. */
    if (!ipv4.use_default) {
        memcpy(ipv4.ip, from->ip, sizeof(ipv4.ip));
        memcpy(ipv4.mask, from->mask, sizeof(ipv4.mask));
    }
    return t->http->configure(t->http, &config);
}

static EFI_STATUS talk_open(struct talk *t)
{
    EFI_BOOT_SERVICES *bs = t->l->bs;
    EFI_STATUS status;

    t->binding = find_binding(t->l);
    status = t->binding->create_child(t->binding, &t->child);
    if (EFI_ERROR(status))
        return status;
    t->http = protocol_on(t->l, t->child, &http_guid);
    if (t->http == NULL)
        return EFI_UNSUPPORTED;
    status = bs->CreateEvent(0, 0, NULL, NULL, &t->done);
    if (!EFI_ERROR(status))
        status = bs->CreateEvent(EVT_TIMER, 0, NULL, NULL, &t->alarm);
    if (!EFI_ERROR(status))
        status =
            bs->SetTimer(t->alarm, TimerRelative, HTTP_WAIT_S * SECOND_100NS);
    return EFI_ERROR(status) ? status : talk_configure(t);
}

/* Until the firmware has done what @token says, or time is up. */
static EFI_STATUS talk_wait(struct talk *t, struct http_token *token)
{
    EFI_BOOT_SERVICES *bs = t->l->bs;

    while (bs->CheckEvent(t->done) == EFI_NOT_READY) {
        t->http->poll(t->http);
        if (bs->CheckEvent(t->alarm) == EFI_NOT_READY)
            continue;
        t->http->cancel(t->http, token);
        return EFI_TIMEOUT;
    }
    return token->status;
}

static EFI_STATUS talk_ask(struct talk *t, const char *url, char *host)
{
    CHAR16 wide[URL_MAX];
    struct http_header fields[REQUEST_FIELDS] = {
        { "Host", host },
        { "Accept", "*/*" },
        { "User-Agent", "Millrace" },
    };
    struct http_request request = { .method = HTTP_GET, .url = wide };
    struct http_message message = { .request = &request,
                                    .header_count = REQUEST_FIELDS,
                                    .headers = fields };
    struct http_token token = { .event = t->done, .message = &message };
    EFI_STATUS status;

    for (size_t i = 0; i <= strlen(url); i++)
        wide[i] = (uint8_t)url[i];
    status = t->http->request(t->http, &token);
    return EFI_ERROR(status) ? status : talk_wait(t, &token);
}

static bool is_length(const char *name)
{
    static const char wanted[] = LENGTH_HEADER;

    for (size_t i = 0; i < sizeof(wanted); i++) {
        const bool is_upper = name[i] >= 'A' && name[i] <= 'Z';

        if ((is_upper ? name[i] + 0x20 : name[i]) != wanted[i])
            return false;
    }
    return true;
}

/* The firmware's list of header fields is ours to read and to give back. */
static EFI_STATUS take_headers(struct talk *t, struct http_message *m)
{
    EFI_STATUS status = EFI_UNSUPPORTED;

    for (UINTN i = 0; i < m->header_count; i++) {
        if (is_length(m->headers[i].name)) {
            t->length = 0;
            for (const char *p = m->headers[i].value; *p >= '0' && *p <= '9';
                 p++)
                t->length = t->length > CONFIG_MAX
                                ? t->length
                                : t->length * 10 + (uint64_t)(*p - '0');
            status = EFI_SUCCESS;
        }
        t->l->bs->FreePool(m->headers[i].name);
        t->l->bs->FreePool(m->headers[i].value);
    }
    if (m->headers != NULL)
        t->l->bs->FreePool(m->headers);
    return status;
}

/* The next part of the answer; the first one has its status and headers. */
static EFI_STATUS talk_hear(struct talk *t, char *to, size_t room,
                            size_t *bytes)
{
    struct http_response response = { 0 };
    struct http_message message = { .body_bytes = room, .body = to };
    struct http_token token = { .event = t->done, .message = &message };
    const bool is_first = !t->has_answer;
    EFI_STATUS status;

    *bytes = 0;
    if (is_first)
        message.response = &response;
    status = t->http->response(t->http, &token);
    if (!EFI_ERROR(status))
        status = talk_wait(t, &token);
    t->has_answer = true;
    if (is_first)
        t->code = boot_http_code(response.place);
    if (EFI_ERROR(status))
        return status;
    *bytes = message.body_bytes;
    return is_first ? take_headers(t, &message) : EFI_SUCCESS;
}

static EFI_STATUS talk_read(struct talk *t, char *to, size_t room,
                            size_t *bytes)
{
    size_t n;
    EFI_STATUS status = talk_hear(t, to, room, bytes);

    if (!EFI_ERROR(status) && t->length > room) {
        *bytes = room + 1;
        return EFI_SUCCESS;
    }
    for (; !EFI_ERROR(status) && *bytes < t->length; *bytes += n) {
        status = talk_hear(t, to + *bytes, room - *bytes, &n);
        if (!EFI_ERROR(status) && n == 0)
            status = EFI_END_OF_FILE;
    }
    return status;
}

/* What the answer means; the status that a firmware reports with it varies. */
static enum boot_found judge(const struct talk *t, const char *url,
                             EFI_STATUS status)
{
    if (t->code == 404 || t->code == 410)
        return BOOT_ABSENT;
    if (t->code == 200 && !EFI_ERROR(status))
        return BOOT_TAKEN;
    if (t->code == 0 || t->code == 200)
        return config_refuse(t->l, "http", url, status);
    loader_note(t->l, "http %s: the server answers %u", url, t->code);
    return BOOT_REFUSED;
}

static enum boot_found fetch_http(void *ctx, const char *name, char *to,
                                  size_t room, size_t *bytes)
{
    struct talk t = { .l = ctx };
    char url[URL_MAX], host[BOOT_URI_MAX];
    EFI_STATUS status;

    if (!boot_url_beside(t.l->from.uri, name, url, sizeof(url)) ||
        !boot_url_host(t.l->from.uri, host, sizeof(host)))
        return BOOT_ABSENT;
    status = talk_open(&t);
    if (!EFI_ERROR(status))
        status = talk_ask(&t, url, host);
    if (!EFI_ERROR(status))
        status = talk_read(&t, to, room, bytes);
    talk_close(&t);
    return judge(&t, url, status);
}

const struct boot_place place_http = {
    .kind = "http",
    .open = open_http,
    .fetch = fetch_http,
};
