class Box {
  constructor(width, height, depth) { this.depth = depth; }
  scale(by, origin) { return this.scale(by, origin - 1); }
}
Box.prototype.move = function (dx, dy) { this.move(dx, dy + 1); };
function walk(path, left, right) { return walk(path, left, right * 2); }
const shift = (at, by) => by ? shift(at, by >> 1) : at;
function open(list) {
  const box = new Box(1, 2, list);
  box.move(4, 5);
  return walk(list, 0, box.scale(3, list)) + shift(list, 5);
}
