struct point {
    int x;
    int y;
};
struct cell {
    int value;
    char *text;
};
int grid[3][4];
struct point origin;
static int look(int *counter, struct cell *cell, int i, int j)
{
    struct cell spare;

    if (grid[i][j] > 2)
        i += *counter << 2;
    spare = *cell;
    i += counter[1] >> j;
    i -= origin.x ^ j;
    i |= cell->value & 7;
    j |= spare.value & i;
    return i - grid[i][0];
}
