import type { HttpAnswer, HttpCall } from "@countersign/contract-kit";
import type { Fault } from "../../packages/contract-kit/test/provider/open-target.ts";
import {
  edited,
  isMembers,
  type Members,
  membersAt,
  numberText,
  parsed,
  type Plant,
  textOf,
} from "./edits.ts";

export const REFUNDS = "/v1/refunds";
export const SUBSCRIBE = "/v1/webhook/subscribe";
export const UNSUBSCRIBE = "/v1/webhook/unsubscribe";
export const TOKENS = "/v1/tokens";
export const CUSTOMERS = "/v1/customers";

type Change = (members: Members) => Members | undefined;

const withBody = (call: HttpCall, change: Change): HttpCall =>
  call.body === undefined ? call : { ...call, body: edited(call.body, change) };

/** Reads something else than the members that were sent. */
export const misreads =
  (path: string, change: Change): Fault =>
  (call, next) =>
    next(call.path.startsWith(path) ? withBody(call, change) : call);

/** Reads another amount than the one that was sent; `undefined` for the right one. */
export const misreadsAmount = (change: (text: string) => string | undefined): Fault =>
  misreads(REFUNDS, (members) => {
    const amount = membersAt(members, "amount");
    const text = change(numberText(amount["value"]) ?? "");
    return text === undefined
      ? undefined
      : { ...members, amount: { ...amount, value: JSON.rawJSON(text) } };
  });

export const withoutHeader = ({ headers, ...rest }: HttpCall, name: string): HttpCall => {
  const { [name]: _, ...others } = headers;
  return { ...rest, headers: others };
};

export const withHeader = (call: HttpCall, name: string, value: string): HttpCall => ({
  ...call,
  headers: { ...call.headers, [name]: value },
});

export const headerOf = ({ headers }: HttpCall, name: string): string => headers[name] ?? "";

/** Answers something else. */
export const answers =
  (change: (answer: HttpAnswer, call: HttpCall) => HttpAnswer | undefined): Fault =>
  async (call, next) => {
    const answer = await next(call);
    return change(answer, call) ?? answer;
  };

export const answersWithout = (
  name: string,
  fits: (answer: HttpAnswer) => boolean = () => true,
): Fault =>
  answers((answer) => {
    const { [name]: _, ...headers } = answer.headers;
    return fits(answer) ? { ...answer, headers } : undefined;
  });

/** Answers other members; of refunds, also of those that a known requestKey is answered with. */
export const misspeaks = (path: string, change: Change): Fault =>
  answers((answer, call) => {
    if (!call.path.startsWith(path)) return undefined;
    const existing = (members: Members): Members | undefined => {
      const changed = change(membersAt(members, "existing"));
      return changed && { ...members, existing: changed };
    };
    return {
      ...answer,
      body: edited(answer.body, (members) =>
        "existing" in members ? existing(members) : change(members),
      ),
    };
  });

/** A refusal instead of an answer. */
export function refusal({ headers }: HttpAnswer, status: number, errorCode: string): HttpAnswer {
  const errorDetails = { errorCode, errorMessage: "refused by mistake" };
  const problem = { type: "about:blank", title: "Refused by mistake", status, errorDetails };
  return {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
    body: Buffer.from(JSON.stringify(problem)),
  };
}

/** An answer of success instead of a refusal. */
const success = ({ headers }: HttpAnswer, status: number, members: Members): HttpAnswer => ({
  status,
  headers: { ...headers, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(members)),
});

export const codeOf = ({ body }: HttpAnswer): unknown =>
  membersAt(parsed(body), "errorDetails")["errorCode"];

/** Says another status for a refusal, by its code. */
export const restatus = (code: string, status: number): Fault =>
  answers((answer) => {
    if (codeOf(answer) !== code) return undefined;
    const body = edited(answer.body, (members) => ({ ...members, status }));
    return { ...answer, status, body };
  });

export const isJson = (call: HttpCall): boolean =>
  /^application\/json *(?:;|$)/i.test(headerOf(call, "content-type"));

/** Remembers the tokens that merchants have from the start, which open every scope. */
export function remembersOwner(
  change: (owned: (call: HttpCall) => HttpCall, granted: ReadonlySet<string>) => Fault,
): Plant {
  let owner = "";
  const granted = new Set<string>();
  const state: Fault = async (call, next) => {
    const answer = await next(call);
    const token = String(parsed(answer.body)?.["accessToken"]);
    if (textOf(call.body).includes('"a merchant"')) owner = token;
    else granted.add(token);
    return answer;
  };
  const owned = (call: HttpCall): HttpCall => withHeader(call, "authorization", `Bearer ${owner}`);
  return { state, call: change(owned, granted) };
}

/** Answers a call of another scope as if the token had it. */
export const opensScope = (path: string): Plant =>
  remembersOwner((owned) => async (call, next) => {
    const answer = await next(call);
    return answer.status === 403 && call.path.startsWith(path) ? next(owned(call)) : answer;
  });

export const bearerOf = (call: HttpCall): string =>
  headerOf(call, "authorization").replace(/^Bearer /, "");

/** Plants a mistake in calls. */
export const call = (make: () => Fault) => (): Plant => ({ call: make() });

/** True for the answer of a refund that failed at once. */
export const isFailed = ({ status, body }: HttpAnswer): boolean =>
  status < 300 && parsed(body)?.["paymentStatus"] === "TERMINAL_FAILED";

/** Answers a refused refund as made, in the words of the last one that was. */
export const accepts =
  (...codes: readonly string[]) =>
  (): Fault => {
    let made: HttpAnswer | undefined;
    return answers((answer, one) => {
      if (one.path === REFUNDS && answer.status === 201) made = answer;
      return codes.includes(String(codeOf(answer))) ? made : undefined;
    });
  };

/** Answers refunds of a payment differently once a later state of that name has been prepared for it. */
export const afterState = (states: RegExp, change: Change) => (): Plant => {
  const payments = new Set<unknown>();
  const early = new Set<unknown>();
  return {
    state: (one, next) => {
      const { state: name, params } = parsed(one.body) ?? {};
      if (states.test(String(name)) && isMembers(params)) payments.add(params["paymentId"]);
      return next(one);
    },
    call: async (one, next) => {
      const answer = await next(one);
      const { paymentId, requestKey } = parsed(one.body) ?? {};
      const isReached = payments.has(paymentId);
      if (answer.status === 201 && !isReached) early.add(requestKey);
      const isMeant = answer.status === 409 && isReached && early.has(requestKey);
      return isMeant ? misspeaks(REFUNDS, change)(one, () => Promise.resolve(answer)) : answer;
    },
  };
};

/** The answer to a call that ended a subscription. */
export function ended(answer: HttpAnswer, one: HttpCall): HttpAnswer {
  return success(answer, 200, { subscriptionKey: parsed(one.body)?.["subscriptionId"] });
}

/** The same call about a subscription that does not exist. */
export const ofNobody = (one: HttpCall): HttpCall =>
  withBody(one, (members) => ({ ...members, subscriptionId: "sub_of_nobody" }));
