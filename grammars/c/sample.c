#include <stdio.h>
#include "sample.h"
#define LIMIT 3
#define SQUARE(x) ((x) * (x))
#if LIMIT > 2
int guarded;
#else
int unguarded;
#endif
#ifdef OTHER
static int other(int a) { return a; }
#else
static int another(void) { return 2; }
static int before(int a) { other(a); return a; }
static int after(int a) { another(); return before(a); }
#endif

typedef unsigned int word;
typedef unsigned char uint8_t;
typedef int *pointer, vector[4];
typedef int *table[4];
typedef int (*callback)(int, char *);
typedef struct node {
    struct node *next;
    int value : 3, count;
    char text[8], *names[2];
    int (*visit)(struct node *);
} node_t;
typedef enum color { RED, GREEN = 2 } color_t;
struct pair {
    int left;
    int right;
};
union both {
    int number;
    float real;
};
enum { FIRST, SECOND = FIRST + 1 };
enum state { OFF, ON } state;
struct point { int x, y; } origin = { .x = 1, .y = 2 };

extern int proto(int, const char *);
extern "C" {
int linked(void);
int linked_too(void);
}
static int counter, limits[3] = {1, 2, 3}, *cursor = 0, **handles[2];
static const char *const words[] = { "one", "two" "three" };
char *(*maker)(void);
int (*simple)(void);
int (*handler)(int) = 0;

int (wrapped)(void) { return 1; }
static char *pointed(int a, char *b, ...) { return b + a; }
static int **twice(void) { return 0; }
static char ***thrice(void) { return 0; }

__attribute__((noinline)) static int loops(int n)
{
    int i = 0, total[2] = {n, 2}, *p = &total[1];
    unsigned long big = 10UL;
    for (int k = 0; k < n; k++) {
        i += k;
        if (k == 2) continue;
    }
    for (i = 0; i < 3; ++i) *p = i;
    for (;;) break;
    while (i > 0) {
        i--;
        big += i;
    }
    while (i < 2) i++;
    if (i) for (;;) i++;
    do {
        i++;
    } while (i < 9);
    {
        int inner = i;
        total[0] = inner;
    }
    return total[0] + (int)big;
}

int main(int argc, char **argv)
{
    int x = argc ? 1 : (2, 3), y = -x;
    struct node n = { .value = 1, .next = &n };
    int designated[] = { [0] = 1, 2 };
    /* a comment */
    if (x) {
        x = SQUARE(y);
    } else {
        y = ~x;
    }
    if (!y) x = 3; else if (argc > 1) x = 5;
    switch (x) {
    case 1:
        y++;
        break;
    case FIRST: {
        --y;
    }
    default:
        printf("%d %c\n", x, 'c');
    }
again:
    n.next->value = designated[1] + sizeof(struct pair) + sizeof x;
    if (y++ < 3) goto again;
block: {
        counter += loops(x) * proto(y, words[0]);
    }
    ({ counter++; });
    cursor = (int *)&counter; // another
    return x && y || counter;
}

typedef int *alone;
char *declared(int);
int later(int a);
int sooner(int a) { return later(a) + later(1); }
int later(int a) { return a ? 1 : 2; }
void arrows(struct node *n)
{
    n->value = *n->next->text;
    loops(n->value);
}
#ifdef ALONE
int inside_alone;
#endif
#if LIMIT
int inside_if;
#endif
int once(int a) { return a + a; }
int caller(void) { return once(7) * 2; }
int listed(left, right) int left; char *right; { return left; }
#define DOUBLE(x) ((x) + (x))
int doubled = DOUBLE(4);
void grows(int a) { a += 2; }
int **triple[2];
struct spare { int *wide[2]; };
#define NOWHERE 4
#define NOBODY(x) x
typedef struct link link;
struct link { link *next; };
word wide_word;
alone left_alone;
typedef struct tagged { int a; } tagged_t;
tagged_t aliased;
union both either;
int green = GREEN;
struct {
    char name[8];
    int used;
} table;
struct {
    struct node *first;
} *roots;
int rooted(int at)
{
    int *kept = &roots->first->value;
    table.name[at] = roots->first->text[0];
    return *kept;
}
int assigns(int *a, int *b)
{
    a = b;
    *a = 0;
    a = b;
    both = a;
    a = b;
    rooted(a);
    a = b;
    return a;
}
