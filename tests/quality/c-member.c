typedef struct node {
    struct node *next;
    int value;
} *ref;
void clear(ref r)
{
    if (!r) return;
    r->value = 0;
}
void all(ref r)
{
    clear(r);
    if (r->next) all(r->next);
}
