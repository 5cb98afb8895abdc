// Prints objects for people: aligned, shortened where they are long, in colour where that is wanted.
//
// The last call at the end brings it down with a stack overflow.
"use strict";

const defaults = { indent: 2, width: 60, colour: false, longest: 40 };

const colours = { string: 32, number: 33, boolean: 35, undefined: 90, key: 36, type: 90 };

class Printer {
  constructor(options) {
    this.options = { ...defaults, ...options };
    this.depth = 0;
    this.printed = 0;
  }

  paint(kind, text) {
    if (!this.options.colour || !(kind in colours)) return text;
    return `\u001b[${colours[kind]}m${text}\u001b[0m`;
  }

  get padding() {
    return " ".repeat(this.options.indent * this.depth);
  }

  shorten(text) {
    const longest = this.options.longest;
    if (text.length <= longest) return text;
    return text.slice(0, longest / 2) + "..." + text.slice(text.length - longest / 2 + 3);
  }

  nested(open, close, lines) {
    const flat = `${open} ${lines.join(", ")} ${close}`;
    if (lines.length === 0) return open + close;
    if (flat.length + this.padding.length <= this.options.width && !flat.includes("\n")) return flat;
    const inner = " ".repeat(this.options.indent);
    const indented = lines.map((line) => inner + line.split("\n").join("\n" + inner));
    return `${open}\n${indented.join(",\n")}\n${close}`;
  }

  print(value) {
    this.printed++;
    switch (typeof value) {
      case "string":
        return this.paint("string", JSON.stringify(this.shorten(value)));
      case "number":
      case "bigint":
        return this.paint("number", String(value));
      case "boolean":
      case "undefined":
        return this.paint(typeof value, String(value));
      case "function":
        return this.paint("type", `[function ${value.name || "without a name"}]`);
      case "symbol":
        return value.toString();
      default:
        return value === null ? "null" : this.printObject(value);
    }
  }

  printObject(value) {
    this.depth++;
    try {
      if (value instanceof Date) return this.paint("type", value.toISOString());
      if (value instanceof RegExp) return String(value);
      if (Array.isArray(value)) return this.printList(value, "[", "]");
      if (value instanceof Set) return "Set " + this.printList([...value], "{", "}");
      if (value instanceof Map) return "Map " + this.printMap(value);
      return this.printMembers(value);
    } finally {
      this.depth--;
    }
  }

  printList(list, open, close) {
    return this.nested(open, close, Array.from(list, (item) => this.print(item)));
  }

  printMap(map) {
    const lines = [];
    for (const [key, value] of map) lines.push(`${this.print(key)} => ${this.print(value)}`);
    return this.nested("{", "}", lines);
  }

  printMembers(object) {
    const type = object.constructor && object.constructor.name;
    const keys = Object.keys(object).filter((key) => !key.startsWith("_"));
    const widest = keys.reduce((width, key) => Math.max(width, key.length), 0);
    const lines = keys.map((key) => {
      const name = this.options.align ? key.padEnd(widest) : key;
      return `${this.paint("key", name)}: ${this.print(object[key])}`;
    });
    const text = this.nested("{", "}", lines);
    return type && type !== "Object" ? `${this.paint("type", type)} ${text}` : text;
  }
}

class Person {
  constructor(name, born) {
    this.name = name;
    this.born = new Date(born);
    this.friends = [];
    this._secret = Symbol("secret");
  }

  meet(...others) {
    for (const other of others) {
      if (!this.friends.includes(other)) this.friends.push(other);
    }
    return this;
  }
}

function show(title, value, options = {}) {
  const printer = new Printer(options);
  const text = printer.print(value);
  console.log(`${title} (${printer.printed} values)\n${text}\n`);
}

const ada = new Person("Ada", "1815-12-10");
const charles = new Person("Charles", "1791-12-26").meet(ada);
const settings = { theme: "dark", sizes: [1, 2, 3.5], nothing: null, missing: undefined, pattern: /a+b/g };

show("settings", settings, { align: true });
show("map", new Map([["one", { n: 1n }], ["two", new Set(["x", true])]]), { colour: true });
show("long", { text: "word ".repeat(30), list: Array.from({ length: 30 }, (_, i) => i * i) });
show("a person", charles);
ada.meet(charles);
show("a person again", charles);
