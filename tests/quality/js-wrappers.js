(function (a2, b2) { c2(b2); })(e2, d2);
class A3 extends a3(b3) { }
x4 = { [k4]: v4 };
x5 = (function () { a5(); return v5; })();
function f6() { k6(); var a6 = b6(); }
(function () { a1(); b1(); })();
function f7(a7) { g7(a7); h7(); }
f7(i7);
class C8 { constructor(a8) { g8(a8); h8(); } }
new C8(i8);
function f9(a9) { return g9(a9); }
h9(f9(i9));
var f10 = function () { return g10; };
f10();
function f11() { g11(); h11(); }
new f11();
class C12 extends D12 { m12() { } }
e12(C12);
var a13 = b13(c13);
d13(a13);
var a14 = x14(y14), b14 = 2;
d14(a14);
