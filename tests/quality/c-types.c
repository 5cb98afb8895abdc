typedef unsigned long size;
typedef struct list {
    struct list *next;
    size length;
} list;
typedef struct node node;
struct node {
    node *parent;
    int key;
};
typedef struct entry_tag {
    char *name;
} entry;
union value {
    int whole;
    double part;
};
struct pair {
    int left, right;
};
enum { LIMIT = 16, SHIFT = 3 };
static const int mask = 7;
size measure(list *all);
size measure(list *all)
{
    return all->next ? all->length : (size)LIMIT;
}
int climb(node *from, entry *first, int key)
{
    union value value;
    struct pair pair;

    value.whole = from->key << SHIFT;
    pair.left = value.part > 2;
    key = first->name[1] & mask;
    return key ^ from->parent->key;
}
