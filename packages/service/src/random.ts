import { randomBytes } from "node:crypto";

/** The source of ids, tokens and secrets. */
export interface Random {
  /** `length` bytes that nobody can predict. A test's source repeats them by seed. */
  bytes(length: number): Uint8Array;
}

/** A number from 0 up to, but not including, 1. */
export function unitInterval(random: Random): number {
  return Buffer.from(random.bytes(6)).readUIntBE(0, 6) / 2 ** 48;
}

/** The operating system's generator. */
export const systemRandom: Random = { bytes: (length) => randomBytes(length) };

/** The kind of an id, by its prefix. */
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
