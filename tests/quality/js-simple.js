while (w1(q1)) { a1(); }
do { b2(); } while (d2(q2));
with (o3(q3)) { a3(); }
if (i4(q4)) { a4(); } else { b4(); }
l5: break l5;
if ((p6 + q6)(r6)) s6();
