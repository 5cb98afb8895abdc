struct {
    char name[8];
    int used;
} table;
int put(int at)
{
    if (table.used >= 8) return 0;
    table.name[at] = 0;
    table.used++;
    return 1;
}
