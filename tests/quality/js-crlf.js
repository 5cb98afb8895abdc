// first
const a = `one
two ${a.b}
three`;
/* a
   b */
function f(x) {
  return x
    .map(y => y + 1)
    .filter(Boolean)
}
needle(f([1, 2]))
