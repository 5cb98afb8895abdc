static int scale(int factor, int by) { return factor * by; }
static int area(int factor) { return scale(factor, 3) + 1; }
int main(void)
{
    int factor = 4;
    return area(factor);
}
