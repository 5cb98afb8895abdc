function run(x) {
  try { open(x); } catch (e) { report(e); } finally { close(x); }
}
