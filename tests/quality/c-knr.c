extern int printf();
static char *names[] = { "one", "two", 0 };
char *find(table, name, length)
    char **table;
    char *name;
    int length;
{
    while (*table) {
        if (same(*table, name, length))
            return *table;
        table++;
    }
    return 0;
}
int same(a, b, length)
    register char *a, *b;
    int length;
{
    while (length-- > 0)
        if (*a++ != *b++)
            return 0;
    return 1;
}
int main(argc, argv)
    int argc;
    char **argv;
{
    char *found = find(names, argv[0], 3);
    printf("%s\n", found ? found : "none");
    return 0;
}
