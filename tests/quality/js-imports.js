import fs, { readFile as read, writeFile } from 'node:files';
import * as path from 'node:paths';
import defaults from './defaults.js';
import { open, stat } from 'node:promises';
const base = path.join(defaults.root, `data`);
export function load(name, more) {
  if (more) fs.watch(base, more);
  return open(read(name), stat);
}
