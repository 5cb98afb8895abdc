int voided(void) {
  if (a) return 1;
  return 2;
}
int F(int);
int caller(void) { return F(1); }
int F(int p) { return p; }
void H(void) { b3(); c3(); }
int main(void) { H(); }
int V(int a) { return g4(a); }
int x4 = V(1);
