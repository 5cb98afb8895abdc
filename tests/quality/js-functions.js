// Each function is a mapping from its parameter to a call.
const twice = (a1) => { return twiceOf(a1, 2); };
const boxed = (a2) => { return { box: boxOf(a2) }; };
const run = (a3) => { runOf(a3); };
list.forEach(function (a4) { return eachOf(a4, list); });
list.forEach(function (a5) { log(a5); sideOf(a5); });
function declared(a6) { return declaredOf(a6); }
var assigned = function (a7) { if (a7) { assignedOf(a7); } };
let held = (a8) => { heldOf(a8); again(); };
other = function (a9) { if (a9) { otherOf(a9); } };
class Shape {
  constructor(b1) { shapeOf(b1); again(); }
}
class Circle {
  area(b2) { areaOf(b2); again(); }
}
const Anonymous = class {
  area(b3) { anonymousOf(b3); again(); }
};
const table = {
  open(b4) { openOf(b4); again(); },
};
const record = {
  get total() { return totalOf(record); },
};
const rows = {
  close: function (b5) { closeOf(b5); again(); },
};
