'use strict';
function load(name, options) {
  if (options.verbose) {
    a0(name);
  } else if (options.quiet) {
    a1(name);
  } else {
    a2(name);
  }
  if (b0(name)) {
    b1(name);
    b2(name);
  }
  while (c0(name)) {
    c1(name);
    c2(name);
  }
  do {
    d0(name);
    d1(name);
  } while (d2(name));
  for (let at = e0(name); at < 3; at++) {
    e1(at);
  }
  for (f0(name); name < 3; name++) {
    f1(name);
  }
  for (const item of g0(options)) {
    g1(item);
  }
  try {
    h0(name);
    h1(name);
  } catch (error) {
    h2(error);
  }
  try {
    i0(name);
  } finally {
    i1(name);
  }
  switch (name) {
    case 'x':
      j0(name);
      j1(name);
      break;
    default:
      return null;
  }
  with (options) {
    k0(name);
    k1(name);
  }
  outer: {
    l0(name);
    l1(name);
    break outer;
  }
  {
    m0(name);
    m1(name);
  }
  return options;
}
