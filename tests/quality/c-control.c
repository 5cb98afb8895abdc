void f(void) {
  for (i = 0; i < n; i++) { b1(); c1(); }
  use2(a2);
  if (a3) for (;;) { b3(); }
Z: b4();
  goto Z;
}
