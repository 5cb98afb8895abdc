struct flags { unsigned on : 1, off : 1; } flags;
char next(int step);
int main(void)
{
    int mixed = next(1) ^ flags.on;
    return mixed;
}
