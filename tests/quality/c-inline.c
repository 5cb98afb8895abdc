static int count;
static void twice(int value, int more)
{
    add(value);
    put(more, count);
}
static int half(int value)
{
    return value >> count;
}
int main(int argc, char **argv)
{
    count = half(argc);
    twice(argc, 3);
    return count;
}
