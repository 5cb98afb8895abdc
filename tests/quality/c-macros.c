/* Squares, and what they need. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stddef.h>
#include <limits.h>

#define SQUARE(x) ((x) * (x))
#define MAX_SIDE 100
#define CHECK(condition, message) \
    do { \
        if (!(condition)) \
            report(message, __LINE__); \
    } while (0)

#if defined(WITH_DEPTH) && WITH_DEPTH > 2
#define DEPTH WITH_DEPTH
#elif defined(FLAT)
#define DEPTH 1
#else
#define DEPTH 2
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct shape { int side; size_t count; int depths[DEPTH]; };

static void report(const char *message, int line) { (void)message; (void)line; }

static int area(const struct shape *shape)
{
    CHECK(shape != NULL, "no shape");
    CHECK(shape->side < MAX_SIDE, "too large");
#if DEPTH > 1
    if (shape->depths[1] > INT_MAX / 2)
        return -1;
#endif
    return SQUARE(shape->side) * (int)shape->count;
}

int main(void)
{
    struct shape one = { 3, 1, { 0 } };
    return area(&one) == 9 ? 0 : 1;
}

#ifdef __cplusplus
}
#endif
#endif
