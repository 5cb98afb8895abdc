#define TWICE(x) ((x) + (x))
int main(void)
{
    int four = 4;
    return TWICE(4) + four;
}
