#include <stddef.h>
struct item {
    struct item *next;
    int key;
};
struct item *find(struct item *list, int key)
{
    while (list) {
        if (list->key == key)
            return list;
        list = list->next;
    }
    return NULL;
}
unsigned long hash(const char *text)
{
    unsigned long sum = 5381;

    if (!text)
        return 0;
    while (*text)
        sum = sum * 33 + *text++;
    return sum;
}
unsigned long spread(unsigned long value);
unsigned long spread(unsigned long value)
{
    return value * 2654435761ul;
}
