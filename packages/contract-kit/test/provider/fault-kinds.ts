import type { HttpAnswer } from "../../src/http.ts";
import { withCallText, withText, type Fault } from "./open-target.ts";

/** A service that breaks one requirement, and keeps the rest. */
export interface Broken {
  readonly check: string;
  readonly requirement: string;
  readonly what: string;
  /** Whether the quick lane has it: one or two of each check, found soon. */
  readonly isQuick?: boolean;
  /** Made anew for each test: some keep what they have seen. */
  readonly fault: () => Fault;
}

export const answers =
  (change: (text: string) => string, where: RegExp = /./): (() => Fault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return where.test(call.path) ? withText(answer, change) : answer;
  };
export const calls =
  (change: (text: string) => string): (() => Fault) =>
  () =>
  (call, next) =>
    next(withCallText(call, change));
export const statuses =
  (from: number, to: number): (() => Fault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return answer.status === from
      ? { ...withText(answer, (text) => text.replaceAll(String(from), String(to))), status: to }
      : answer;
  };
export const refund = (status: string): HttpAnswer => ({
  status: 201,
  headers: { "content-type": "application/json" },
  body: Buffer.from(
    `{"paymentId":"ref_made_up","paymentStatus":"${status}","clientReferenceId":null}`,
  ),
});
export const keyOf = (body: unknown): string =>
  /"requestKey":"([^"]*)"/.exec(Buffer.from(body as string).toString())?.[1] ?? "";
