if (a(1)) {
  for (const b of list) {
    c();
    while (d()) { first(); second(); }
  }
}
