import type { Random } from "./random.ts";

/** What an id stands for, as its prefix tells a reader of logs. */
export type IdPrefix =
  | "mer"
  | "cli"
  | "clk"
  | "cus"
  | "acc"
  | "pay"
  | "ref"
  | "sub"
  | "evt"
  | "dlv"
  | "req";

/** A new id: the prefix and 128 random bits as base64url, 26 characters of `[A-Za-z0-9_-]`. */
export function newId(random: Random, prefix: IdPrefix): string {
  return `${prefix}_${Buffer.from(random.bytes(16)).toString("base64url")}`;
}
