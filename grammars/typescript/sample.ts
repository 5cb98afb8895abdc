import { readFile } from "fs";
import path = require("path");
import Alias = path.Inner;

interface Shape<T> extends Named {
    readonly area: number;
    label?: string;
    scale(by: T): Shape<T>;
}

type Pair<A, B = A> = { first: A; second: B } | [A, B];

enum Colour {
    red,
    green = 1 + 1,
}

declare function outside(value: unknown): value is string;

abstract class Base<T> implements Named {
    private static count: number = 0;
    constructor(public name: string, protected size?: number) {
        Base.count++;
    }
    abstract draw(): void;
}

class Derived extends Base<string> {
    field: Array<string>;
    method(value: Array<number>): void {}
}

type Plain = Array<string>;

declare module "outside" {
    let inside: Map<Plain, number>;
}

namespace Inner {
    export const value: ReadonlyArray<number> = [1, 2, 3];
}

function identity<T extends object>(value: T, ...rest: Array<string>): T {
    const copy = value as unknown as T;
    if (!copy) {
        throw new Error(rest.map((each: string) => each + "!").join(","));
    }
    return copy!;
}

export const pick = async (key: keyof Named): Promise<string | null> => {
    const made = new Map<string, number>(() => { return path; });
    let pair: Pair<string, number> = { first: "a", second: 2 };
    for (const each of Inner.value) {
        console.log(each + pair.second);
    }
    return (await readFile(key)) ?? null;
};
