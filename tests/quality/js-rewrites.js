f1 = () => { return { a1 }; };
g2(() => { h2(); });
function f3(a3, b3) { return b3; }
class K4 { constructor(a4) { b4(a4); } }
class L5 { m5(a5) { b5(a5); } }
x6 = { m6() { return v6; } };
x7 = o7["key"];
x8 = { "name": v8 };
let [a9, b9] = [c9, 2];
f12(...[p12, q12]);
f13.apply(n13, [p13]);
f14.call(n14, p14);
do { b16(); } while (c16(d16));
for (var i17 = s17(); c17; d17) { b17(); }
if (c18) for (;;) { b18(); }
{ a19; }
