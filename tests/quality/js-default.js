function area(width, height = 4) {
  if (!width) return 0;
  return width * height;
}
print(area(3));
