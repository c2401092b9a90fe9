import fc from "fast-check";
import { expect } from "vitest";
import type { Ledger, Predicted } from "./ledger.ts";
import { usd as dollars, type Body } from "../open-sandbox.ts";
import type { Live } from "./live.ts";

/** The namespace of one run. */
export interface Namespace {
  readonly live: Live;
  readonly token: string;
  /** A payment of another namespace. */
  readonly foreign: string;
  /** Where receivers listen; each subscription takes a path of its own. */
  readonly receiver: string;
  /** How often each answer came, so that a campaign can say how far it got. */
  readonly seen: Map<string, number>;
}

export type Command = fc.AsyncCommand<Ledger, Namespace>;

/** A command that is told by its name and numbers, in counterexamples too. */
export function command(
  name: string,
  run: (ledger: Ledger, real: Namespace) => Promise<void>,
  check: (ledger: Readonly<Ledger>) => boolean = () => true,
): Command {
  return { check, run, toString: () => name };
}

/** Makes a call and holds its answer's status, and a refusal's code, against the prediction. */
export async function call(
  { live, token, seen }: Namespace,
  [method, path, json]: readonly [method: "GET" | "POST" | "PUT", path: string, json?: object],
  predicted: Predicted,
): Promise<Body> {
  const { status, body } = await live.call(method, path, { token, json });
  const details = body["errorDetails"] as { readonly errorCode?: string } | undefined;
  const told: Predicted = status < 400 ? [status] : [status, details?.errorCode ?? "none"];
  expect(told).toEqual(predicted);
  // A refund's own failure is an answer of its own kind.
  const name = [...told, ...(status === 201 ? [String(body["paymentStatus"])] : [])].join(" ");
  seen.set(name, (seen.get(name) ?? 0) + 1);
  return body;
}

/** Holds a body against what the ledger says. */
export function expectBody(body: unknown, predicted: unknown): void {
  expect(body).toEqual(predicted);
}

/** One of those that are there; the numbers of a command name no ids, so that it can be replayed. */
export function nth<T>(list: readonly T[], index: number): T {
  const one = list[index % list.length];
  if (one === undefined) throw new Error("a command was run without what it needs");
  return one;
}

export const index: fc.Arbitrary<number> = fc.nat({ max: 11 });
export const iso = (at: number): string => new Date(at).toISOString();
export const usd = (cents: number): object => dollars(cents / 100);

/** A key that a debit or refund has used. */
export function usedKey({ debits, refunds }: Ledger, by: number): string {
  return nth([...debits.map(({ key }) => key), ...refunds.map(({ ask }) => ask.key)], by);
}

export const hasRefund = ({ refunds }: Readonly<Ledger>): boolean => refunds.length > 0;
