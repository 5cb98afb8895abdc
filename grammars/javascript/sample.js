#!/usr/bin/env node
import first, { second as renamed, third } from "module";
import * as space from "other";
export const exported = 1;
export default third + 1;
export function offered(a) { return a; }
export { renamed, third as thirdly };

// a comment
var plain = 1, empty;
let mutable = { key: 1 }, [one, two = 3] = [1], { k, l: m, ...others } = mutable;
const fixed = [1, ...others, ""], list = fixed.map((x) => x + 1);

function declared(a, b = 2, ...c) {
  const local = a, helper = function () { return local; };
  function nested() { return b; }
  return local + nested() * c.length;
}
async function waits(x) {
  await x;
  return () => { throw new Error("never" + x); };
}
function* generates() {
  const made = function* () { yield 1; };
  yield* made();
}

class Base {}
class Derived extends Base {
  static shared = 1;
  #hidden = 2;
  field;
  get value() { return this.#hidden; }
  constructor(x) {
    super(x);
    this.x = x;
  }
  #secret() {}
  static { declared(0); }
}
const anonymous = class { method() {} };
Derived.prototype.added = function (y) { this.y = y; };
var assigned = function () { plain++; };
const arrow = (x) => { return x; }, short = async (x) => x;

(function () { declared(1); })();
(() => { declared(2); })();
describe("suite", function () { declared(3); });

if (plain) {
  declared(4);
} else {
  empty = !plain;
}
if (empty === undefined) plain = 1; else if (m) plain = typeof m;
for (let i = 0; i < 3; i++) {
  if (i == 1) continue;
  declared(i);
}
for (plain = 0; plain < 3; plain += 1) declared(plain);
if (plain) for (;;) declared(plain);
for (const key in mutable) {
  delete mutable[key];
}
for (const item of list) declared(item);
while (plain > 1) {
  plain--;
}
do {
  plain++;
} while (plain < 3);
try {
  declared(5);
} catch (error) {
  declared(error?.message);
} finally {
  declared(6);
}
switch (plain) {
  case 1:
    declared(7);
    break;
  default:
    declared(8);
}
label: for (;;) {
  break label;
}
named: {
  declared(9);
}
{
  {
    declared(11);
  }
  declared(10);
}
with (mutable) {
  declared(key);
}
plain = empty ? one : (two, k);
mutable = { key: 1, ["computed" + k]: 2, plain, method() {}, get got() { return 1; }, ...others };
empty = `text ${plain} more`.replace(/x+/g, 'y');
tag`template`;
void short(arrow(exported)) || new Derived(...fixed), space.z;
debugger;

// Functions that can be shorter, and wrappers.
list.map((x) => { plain = x; });
list.map(() => { return { a: 1 }; });
list.map(function (x) { return x; });
assigned = function (y) { return y; };
const held = function (y) { plain = y; };
!function () { declared(12); }();
(function () { declared(13); }());
(function () { declared(14); }).call(this);
(function (root, factory) { factory(root); })(this, function () { declared(15); });
var module1 = (function () { return { a: 1 }; })(), second1 = (() => { return 2; })();
module1 = (function () { declared(17); return one; })();
export class Offered { constructor(x) { var inside = x; this.x = inside; } }
new Offered(1);
export function wraps(x) {
  var made1 = (function () { return x; })();
  declared(made1);
  return (function () { return x; })();
}
function makes(x) {
  inner = x;
  return function () { return inner; };
}
makes(declared);
class Holds { method() { let within = 1; return within; } }
async function starts() { await waits(1); }
await starts();
const text = (y) => y + 1;
var length1 = text(2);
plain = text(length1);
short1 = (y) => y;
plain = short1(1);

// Values that can be simpler.
empty = mutable["key"], plain === 1, plain !== 2;
mutable = { "quoted": function (y) { plain = y; }, [k]: 1 };
declared(...[2], [...[3]]);
mutable.quoted(1);
new (class { method(y) { return y; } })().method(1);
mutable = { method(y) { return y; } }.method(1);
var { a1 } = { a1: 1 }, [b1] = [1];
var { c1 = 2, d1: e1 } = mutable;
[plain] = [1];
({ key: plain } = { key: 1 });
empty = `text`;
empty = "text" + "more";
declared.apply(this, [1]);
declared.call(this, 1);
for (const x of [1]) declared(x);
for (plain = 1; plain < 2;) declared(plain);

// Declarations side by side.
var f1;
var f2 = f1;
var f3;
f3 = 1;
let g1;
let g2 = g1;
let g3;
g3 = g2;
{
  f3 = 2;
}
function returned(x) { return x + 1; }
function before(x) { waits(x); return x; }
plain = before(1);
{
  function deep() { var local1 = 1; return local1; }
  plain = returned(deep());
}
mutable = { nobody: 1 };
solo1 = k, declared(solo1);
class Single { solo(y) { return y + 1; } }
plain = new Single().solo(4);
(function (unnamed) { unnamed(); });
waits(function () { });
