import fs, { readFile as read, writeFile } from 'fs';
import * as path from 'path';
export const { a0, b0 } = { a0: one(), b0: 2 };
const [a1, b1] = [first(), second()];
let a2, b2;
({ a2, b2 } = { a2: third(), b2: 1 });
[a2, b2] = [fourth(), a2];
function take({ a3, b3 = 4 }) { return fifth(a3); }
const { k: a4 } = { k: sixth() };
function pick([a5 = 3, ...rest]) { return seventh(a5); }
try {
  eighth(fs);
} catch (error) {
  ninth(writeFile);
}
const text = `plain`, more = 'left' + 'right';
tenth(more, text, path);
spread(...[eleventh(), 2], ...text);
list = [...[twelfth()], ...more];
thing?.inner?.run(thirteenth);
thing['inner'].run(fourteenth);
const keys = { 'plain': fifteenth(), ['computed']: 16 };
match(/^a+b/giu, sixteenth);
emit.apply(thing, [seventeenth, 1]);
emit.call(thing, eighteenth);
this.state.current = nineteenth;
read(twentieth);
if (a0 === a1 && b0 !== b1) stop(twentyFirst);
