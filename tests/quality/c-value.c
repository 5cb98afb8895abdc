struct point {
    int x, y;
};
static struct point at;
int turned(int by)
{
    at.x += by;
    return at.x ^ by;
}
