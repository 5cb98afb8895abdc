function width(kind, deep) {
  let all = 0;
  while (deep-- > 0) {
    switch (kind) {
      case 'none': return 0;
      case 'name':
      case 'number': all += 4; break;
      case 'seven': {
        const half = deep / 2;
        all += half;
        break;
      }
      default: all--;
    }
  }
  return all;
}
console.log(width('text', 3) + width('name', 1));
