// A test that stays up, for `lop --server 'node check.mjs' FILE`.
//
//     import { serve } from "./lop-server.mjs";
//     serve((path) => check(readFileSync(path, "utf8")).includes("unknown tag"));

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * Answers lop until it ends. `test` gets the path of each candidate (several files: a path for each) and returns, or
 * resolves to, true if it is interesting, false if it is not, or "invalid". An exception ends the server; lop then
 * starts another one and asks again.
 */
export async function serve(test) {
    // Standard output is for answers alone.
    console.log = console.info = console.debug = console.error;
    const words = new Map([[true, "interesting"], [false, "not interesting"], ["invalid", "invalid"]]);
    for await (const line of createInterface({ input: process.stdin })) {
        const said = await test(...line.split("\t"));
        if (!words.has(said)) {
            throw new TypeError(`the test returned ${said}; return true, false or "invalid"`);
        }
        writeSync(1, `${words.get(said)}\n`);
    }
}
