import {
  instantOf,
  pathParameter,
  readMembers,
  refuseMembers,
  type BodyCall,
  type Call,
  type MemberError,
  type Members,
  type Refused,
  type Route,
  type Spec,
} from "@countersign/service/internal";

type Answerer<S extends Spec> = (call: BodyCall, members: Members<S>) => Promise<object>;

/** A `GET` that any token of the namespace may make, answered with 200 and this body. */
export const get = (body: (call: Call) => Promise<object>): Route => ({
  method: "GET",
  scope: undefined,
  answer: async (call) => ({ status: 200, body: await body(call) }),
});

/** A `POST` that any token of the namespace may make, with a body of these members. */
export const post = <S extends Spec>(status: number, spec: S, body: Answerer<S>): Route => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => ({ status, body: await body(call, readMembers(call, spec)) }),
});

/** A `PUT`, answered with 200. */
export const put = <S extends Spec>(spec: S, body: Answerer<S>): Route => ({
  method: "PUT",
  scope: undefined,
  answer: async (call) => ({ status: 200, body: await body(call, readMembers(call, spec)) }),
});

/** Returns a parameter of the call's path. */
export function parameter({ request }: Call, name: string): string {
  return pathParameter(request, name) ?? "";
}

/** Returns the time that the namespace's clock shows, in milliseconds. */
export function nowOf({ context, merchant }: Call): Promise<number> {
  return instantOf(context.driver, context.clock, merchant.clockId);
}

/** Returns a call's query parameters. */
export function queryOf({ request }: Call): URLSearchParams {
  return new URL(request.originalUrl, "http://sandbox.invalid").searchParams;
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
  const error: MemberError = { pointer, code: "INVALID_VALUE", message };
  return refuseMembers([error]);
}
