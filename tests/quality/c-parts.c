static int limit = 3;
void serve(int n)
{
    int i;

    if (a0(n)) {
        a1(n);
        a2(n);
    } else {
        a3(n);
    }
    while (b0(n)) {
        b1(n);
        b2(n);
    }
    do {
        c0(n);
        c1(n);
    } while (c2(n));
    for (i = d0(n); d1(i); i = d2(i))
        d3(i);
    switch (e0(n)) {
    case 1: {
        e1(n);
        e2(n);
        break;
    }
    default:
        break;
    }
    switch (n) {
    case 2:
        f0(n);
        f1(n);
        break;
    case 3:
        f2(n);
        f3(n);
    }
    while (limit) {
        int left = g0(n);
        g1(left);
        if (g2(left))
            goto out;
    }
out:
    g3(n);
}
