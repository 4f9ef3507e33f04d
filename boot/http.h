/*
 * http.h - the firmware's HTTP client, which GNU-EFI has no header for
 *
 * Layout after UEFI 2.10, 29.7.
 */
#pragma once

#include <efi.h>

#define HTTP_SERVICE_BINDING_GUID                                              \
    {                                                                          \
        0xbdc8e6af, 0xd9bc, 0x4379,                                            \
        {                                                                      \
            0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c                     \
        }                                                                      \
    }
#define HTTP_GUID                                                              \
    {                                                                          \
        0x7a59b29b, 0x910b, 0x4171,                                            \
        {                                                                      \
            0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b                     \
        }                                                                      \
    }

struct http_binding {
    EFI_STATUS(EFIAPI *create_child)
    (struct http_binding *self, EFI_HANDLE *child);
    EFI_STATUS(EFIAPI *destroy_child)
    (struct http_binding *self, EFI_HANDLE child);
};

enum http_version { HTTP_1_0, HTTP_1_1 };
enum http_method { HTTP_GET };

struct http_ipv4 {
    BOOLEAN use_default;
    uint8_t ip[4], mask[4];
    uint16_t port;
};

struct http_config {
    enum http_version version;
    uint32_t timeout_ms;
    BOOLEAN is_ipv6;
    struct http_ipv4 *ipv4;
};

struct http_header {
    char *name, *value;
};

struct http_request {
    enum http_method method;
    CHAR16 *url;
};

struct http_response {
    unsigned place; /* boot_http_code() makes a status code of it */
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    };
    UINTN header_count;
    struct http_header *headers;
    UINTN body_bytes;
    void *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http {
    void *get_mode;
    EFI_STATUS(EFIAPI *configure)
    (struct http *self, struct http_config *config);
    EFI_STATUS(EFIAPI *request)(struct http *self, struct http_token *token);
    EFI_STATUS(EFIAPI *cancel)(struct http *self, struct http_token *token);
    EFI_STATUS(EFIAPI *response)(struct http *self, struct http_token *token);
    EFI_STATUS(EFIAPI *poll)(struct http *self);
};

_Static_assert(sizeof(struct http_ipv4) == 12 &&
                   sizeof(struct http_config) == 24,
               "as the standard lays them out");
_Static_assert(sizeof(struct http_message) == 40 &&
                   sizeof(struct http_token) == 24,
               "as the standard lays them out");
