import type { ErrorCode } from "../../error-codes.ts";
import { queryOf as parseQuery } from "../../http/body.ts";
import { refuseMembers } from "../../http/members.ts";
import type { Refused } from "../../http/problem.ts";
import { readMembers, type Members, type Spec } from "../../http/readers.ts";
import { pathParameter, type BodyCall, type Call, type Route } from "../../http/route.ts";
import type { MovePaymentOutcome } from "../../use-cases/payments.ts";
import { writtenTime } from "../../use-cases/resources.ts";
import { refuse, type SandboxErrorCode } from "../refusals.ts";

type Answerer<S extends Spec> = (call: BodyCall, members: Members<S>) => Promise<object>;

/** Any token of the namespace may make the call. */
const OPEN = { scope: undefined, rate: "none" } as const;

/** A `GET`, answered with 200 and this body. */
export const get = (body: (call: Call) => Promise<object>): Route => ({
  ...OPEN,
  method: "GET",
  answer: async (call) => ({ status: 200, body: await body(call) }),
});

/** A `POST` with a body of these members. */
export const post = <S extends Spec>(status: number, spec: S, body: Answerer<S>): Route => ({
  ...OPEN,
  method: "POST",
  answer: async (call) => ({ status, body: await body(call, readMembers(call, spec)) }),
});

/** A `PUT`, answered with 200. */
export const put = <S extends Spec>(spec: S, body: Answerer<S>): Route => ({
  ...post(200, spec, body),
  method: "PUT",
});

/** The members of a call that changes a record, and the record's id. */
type Order<S extends Spec, Id extends string> = Members<S> & Readonly<Record<Id, string>>;

type ChangeRoute<Id extends string> = <S extends Spec>(
  spec: S,
  change: (
    context: Call["context"],
    merchant: Call["merchant"],
    order: Order<S, Id>,
  ) => Promise<{ readonly ok: true } | Refusal>,
) => Route;

type Refusal =
  | { readonly ok: false; readonly code: SandboxErrorCode | ErrorCode }
  | Extract<MovePaymentOutcome, { readonly from: number }>;

/** Makes routes that change the record that the path names by `id`, answered with its new state. */
export function changeRoute<Id extends string>(
  id: Id,
  shown: (call: Call, id: string) => Promise<object>,
): ChangeRoute<Id> {
  return (spec, change) =>
    post(200, spec, async (call, members) => {
      const value = parameter(call, id);
      // The one member that `Members` lacks.
      const order = { ...members, [id]: value } as Order<typeof spec, Id>;
      const outcome = await change(call.context, call.merchant, order);
      if (outcome.ok) return shown(call, value);
      if (outcome.code !== "SETTLED_AT_OUT_OF_RANGE") throw refuse(outcome.code);
      const [from, to] = [writtenTime(outcome.from), writtenTime(outcome.to)];
      const message = `must be from the payment's creation, ${from}, to the clock's time, ${to}`;
      throw refuseMember("/settledAt", message);
    });
}

/** Returns a parameter of the call's path. */
export function parameter({ request }: Call, name: string): string {
  return pathParameter(request, name) ?? "";
}

/** Returns a call's query parameters. */
export function queryOf({ request }: Call): URLSearchParams {
  return parseQuery(request.originalUrl);
}

/**
 * Selects the entries of a list call: the namespace's, as many as the query's `limit` says, from 1 to 1000.
 * Default 100.
 *
 * @throws {Refused} `INVALID_REQUEST`: another limit.
 */
export function listed(call: Call): { merchantId: string; limit: number } {
  const text = queryOf(call).get("limit") ?? "100";
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 1000) return { merchantId: call.merchant.id, limit };
  throw refuseMember("/limit", "the query's limit must be a whole number from 1 to 1000");
}

/** Refuses a call for the value of one member. */
export function refuseMember(pointer: string, message: string): Refused {
  return refuseMembers([{ pointer, code: "INVALID_VALUE", message }]);
}
