// What of libFuzzer and AddressSanitizer is called here. Both come with the toolchain and have headers for C++ only, or
// none.
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own way to change an input of `size` bytes, with room for `max_size`. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// Calls back after every allocation and before every freeing. Returns 0 when there is no room for one more pair.
int __sanitizer_install_malloc_and_free_hooks(
    void (*allocated)(const volatile void *pointer, size_t size), void (*freed)(const volatile void *pointer));

// The bytes of a block that is allocated.
size_t __sanitizer_get_allocated_size(const volatile void *pointer);
