struct point { int x; int y; };
struct size { int x; int y; };
int area(struct point p, struct size *s) {
  int width = s->x;
  int height = s->y;
  return use(&width, p.x) + use(&height, p.y);
}
