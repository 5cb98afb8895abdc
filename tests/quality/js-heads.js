'use strict';
let total = 0;
function sweep(list, options) {
  if (isOpen(list, options)) {
    total += 1;
  }
  while (hasMore(list)) {
    total -= 1;
  }
  do {
    total *= 2;
  } while (canRetry(options));
  switch (kindOf(list)) {
    case 'a':
      total = 3;
      break;
    default:
      total = 4;
  }
  for (let at = firstOf(list); at < 10; at++) {
    total += at;
  }
  for (total = lastOf(list); total < 10; total++) {
    options.push(total);
  }
  for (let at = 0; isBelow(at, list); at++) {
    total += at;
  }
  for (let at = 0; at < total; at = nextOf(at)) {
    total += at;
  }
  for (const key in keysOf(options)) {
    total += key.length;
  }
  for (const item of itemsOf(options)) {
    total += item;
  }
  if (total > 7) {
    throw problemOf(total);
  }
  const found = searchFor(list);
  return sumOf(total, found);
}
class Wide extends baseOf(sweep) {
  size = sizeOf(total);
}
const wide = new Wide(), held = holderOf(wide);
export default resultOf(held);
