// Renders templates: text with {{ fields }}, {{#each list}} ... {{/each}} and {{> partials}}.
//
// One of the pages at the end brings it down with a stack overflow.
"use strict";

const assert = (condition, message) => {
  if (!condition) throw new Error(`template error: ${message}`);
};

class Scanner {
  constructor(text) {
    this.text = text;
    this.position = 0;
    this.line = 1;
  }

  get done() {
    return this.position >= this.text.length;
  }

  /** Everything up to `mark`, and the mark itself is skipped. */
  until(mark) {
    let end = this.text.indexOf(mark, this.position);
    if (end < 0) end = this.text.length;
    const piece = this.text.slice(this.position, end);
    this.line += piece.split("\n").length - 1;
    this.position = end + mark.length;
    return piece;
  }
}

class Node {
  render(context, renderer) {
    throw new Error("not implemented");
  }
}

class Text extends Node {
  constructor(text) {
    super();
    this.text = text;
  }
  render() {
    return this.text;
  }
}

class Field extends Node {
  constructor(path, filters) {
    super();
    this.path = path;
    this.filters = filters;
  }
  render(context, renderer) {
    let value = this.path.reduce((object, key) => (object == null ? object : object[key]), context);
    for (const name of this.filters) value = renderer.filter(name)(value);
    return value == null ? "" : String(value);
  }
}

class Each extends Node {
  constructor(path, children) {
    super();
    this.path = path;
    this.children = children;
  }
  render(context, renderer) {
    const list = this.path.reduce((object, key) => (object == null ? object : object[key]), context) || [];
    return Array.from(list, (item, index) => {
      const inner = { ...context, item, index };
      return this.children.map((child) => child.render(inner, renderer)).join("");
    }).join("");
  }
}

class Partial extends Node {
  constructor(name) {
    super();
    this.name = name;
  }
  render(context, renderer) {
    return renderer.partial(this.name, context);
  }
}

function parse(text) {
  const scanner = new Scanner(text);
  const stack = [{ children: [] }];
  while (!scanner.done) {
    const plain = scanner.until("{{");
    if (plain) stack[stack.length - 1].children.push(new Text(plain));
    if (scanner.done) break;
    const tag = scanner.until("}}").trim();
    const top = stack[stack.length - 1];
    if (tag.startsWith("#each ")) {
      stack.push({ path: tag.slice(6).trim().split("."), children: [] });
    } else if (tag === "/each") {
      assert(stack.length > 1, `line ${scanner.line}: nothing to close`);
      const { path, children } = stack.pop();
      stack[stack.length - 1].children.push(new Each(path, children));
    } else if (tag.startsWith(">")) {
      top.children.push(new Partial(tag.slice(1).trim()));
    } else {
      const [path, ...filters] = tag.split("|").map((part) => part.trim());
      top.children.push(new Field(path.split("."), filters));
    }
  }
  assert(stack.length === 1, `line ${scanner.line}: something is left open`);
  return stack[0].children;
}

class Renderer {
  constructor() {
    this.partials = new Map();
    this.filters = {
      upper: (value) => String(value).toUpperCase(),
      trim: (value) => String(value).trim(),
      count: (value) => (value ? value.length : 0),
      money: (value) => "$" + Number(value || 0).toFixed(2),
    };
  }
  filter(name) {
    const filter = this.filters[name];
    assert(filter, `unknown filter ${name}`);
    return filter;
  }
  define(name, text) {
    this.partials.set(name, parse(text));
    return this;
  }
  partial(name, context) {
    const nodes = this.partials.get(name);
    assert(nodes, `unknown partial ${name}`);
    return nodes.map((node) => node.render(context, this)).join("");
  }
  render(text, context) {
    return parse(text).map((node) => node.render(context, this)).join("");
  }
}

const renderer = new Renderer()
  .define("header", "<h1>{{ title | upper }}</h1>\n")
  .define("row", "<li>{{ index }}: {{ item.name | trim }} {{ item.price | money }}</li>\n")
  .define("list", "<ul>\n{{#each items}}{{> row}}{{/each}}</ul>\n")
  .define("footer", "<p>{{ items | count }} items</p>{{> legal}}\n")
  .define("legal", "<small>{{ year }} {{ owner.name }}</small>{{> footer}}\n");

const shop = {
  title: "shop",
  year: 2024,
  owner: { name: "A. Owner" },
  items: [
    { name: " apple", price: 1.5 },
    { name: "pear ", price: "2" },
    { name: "plum" },
  ],
};

console.log(renderer.render("{{> header}}{{> list}}", shop));
console.log(renderer.render("{{ title }}{{#each items}} {{ item.name | trim }}{{/each}}", shop));
console.log(renderer.render("{{> header}}{{> list}}{{> footer}}", shop));
