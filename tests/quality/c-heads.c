int open_all(int n);
int more(int n);
int step(int n);
int kind(int n);
int retry(int n);
int ready(int n);
int more_left(int n);
int result(int n);
int first(int n);
int second(int n);
int scan(int n)
{
    int i, sum = first(n), pair[2] = { second(n), 2 };

    for (i = open_all(n); i < 10; i++)
        sum += i;
    for (i = 0; more(i); i++)
        sum -= i;
    for (i = 0; i < 10; i = step(i))
        sum *= i;
    switch (kind(n)) {
    case 1:
        sum = 0;
        break;
    default:
        sum += pair[1];
    }
    do {
        sum--;
    } while (retry(sum));
    if (ready(sum)) {
        sum = 1;
    } else {
        sum = 2;
    }
    while (more_left(n))
        n--;
    return result(sum);
}
