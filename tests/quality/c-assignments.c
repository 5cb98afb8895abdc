int total;
void add(int more)
{
    for (int i = 0; i < 3; i++)
        total += more << i;
}
