#!/usr/bin/env node

"use strict";
class Account extends Base {
  static #count = 0;
  #secret = 42;
  #owner;
  name = 'none';
  constructor(owner, { limit = 10, ...rest } = {}) {
    super(owner, rest);
    this.#owner = owner;
    Account.#count++;
  }
  get secret() { return this.#secret; }
  set secret(value) { this.#secret = value; }
  static create(...all) { return new Account(...all); }
  #check(amount) { return amount > 0 && #secret in this; }
  async *pay(list) {
    for await (const { amount, to: target } of list) {
      if (!this.#check(amount)) continue;
      yield await target?.accounts?.[0]?.pay?.(amount ?? 1);
    }
  }
  toString() { return `${this.#owner}: ${this.#secret.toFixed(2)} of ${Account.#count}`; }
  static { Account.#count = 1; }
}
const label = /^[a-z]+(?:needle|[^/\]]{2,3})\/?$/giu;
const { a: [first, , ...others], b: { c = 1 } = {} } = load(), tag = html`<b class="${first}">${others.map(o => `<i>${o}</i>`).join('')}</b>`;
let pays = async function* ({ id }, [x, y] = [1, 2]) { yield* other(id, x ** y); };
// { pays as default, label };
