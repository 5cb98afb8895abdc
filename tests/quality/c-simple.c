void f(void) {
  if (i1(q1)) { a1(); } else { b1(); }
  while (w2(q2)) { a2(); }
  do { a3(); } while (d3(q3));
  if ((p6 + q6)(r6)) s6();
  l5: goto l5;
  for (; c4(q4); ) { a4(); }
}
