int ready(int step) { return step & 1; }
int poll(int limit)
{
    int seen = 0;
    if (limit > 0)
        for (seen = 1; limit; seen++)
            limit--;
    return seen;
}
