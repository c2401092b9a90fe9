import type { HttpAnswer, HttpCall } from "@countersign/contract-kit";
import type { Fault } from "../../packages/contract-kit/test/provider/open-target.ts";
import {
  type Change,
  edited,
  type Members,
  membersAt,
  numberText,
  parsed,
  type Plant,
  text,
  textOf,
  within,
} from "./edits.ts";

export const REFUNDS = "/v1/refunds";
export const SUBSCRIBE = "/v1/webhook/subscribe";
export const UNSUBSCRIBE = "/v1/webhook/unsubscribe";
export const TOKENS = "/v1/tokens";
export const CUSTOMERS = "/v1/customers";

/** Plants a mistake in calls that remembers earlier ones. */
export const call = (make: () => Fault) => (): Plant => ({ call: make() });

/** Sends another call on. */
export const sends = (change: (call: HttpCall) => HttpCall): (() => Plant) =>
  call(() => (one, next) => next(change(one)));

export const withBody = (one: HttpCall, change: Change): HttpCall =>
  one.body === undefined ? one : { ...one, body: edited(one.body, change) };

/** Reads something else than the members that were sent. */
export const misreads = (path: string, change: Change): (() => Plant) =>
  sends((one) => (one.path.startsWith(path) ? withBody(one, change) : one));

/** Reads another amount than the one that was sent; `undefined` for the right one. */
export const amountAs = (change: (text: string) => string | undefined): Change =>
  within("amount", ({ value }) => {
    const own = change(numberText(value) ?? "");
    return own !== undefined && { value: JSON.rawJSON(own) };
  });

export const misreadsAmount = (change: Parameters<typeof amountAs>[0]): (() => Plant) =>
  misreads(REFUNDS, amountAs(change));

/** Reads another text in a refund request than the one that was sent. */
export const misreadsText = (...changed: Parameters<typeof text>): (() => Plant) =>
  misreads(REFUNDS, text(...changed));

export const withoutHeader = ({ headers, ...rest }: HttpCall, name: string): HttpCall => {
  const { [name]: _, ...others } = headers;
  return { ...rest, headers: others };
};

export const withHeader = (one: HttpCall, name: string, value: string): HttpCall => ({
  ...one,
  headers: { ...one.headers, [name]: value },
});

export const headerOf = ({ headers }: HttpCall, name: string): string => headers[name] ?? "";

/** Answers something else. */
export const answers =
  (change: (answer: HttpAnswer, call: HttpCall) => HttpAnswer | false | undefined): Fault =>
  async (one, next) => {
    const answer = await next(one);
    return change(answer, one) || answer;
  };

/** Answers something else, and remembers nothing. */
export const answersWith = (change: Parameters<typeof answers>[0]): (() => Plant) =>
  call(() => answers(change));

export const answersWithout = (name: string): (() => Plant) =>
  answersWith((answer) => {
    const { [name]: _, ...headers } = answer.headers;
    return { ...answer, headers };
  });

/** Answers another text. */
export const rewritten = (answer: HttpAnswer, from: string | RegExp, to: string): HttpAnswer => ({
  ...answer,
  body: Buffer.from(textOf(answer.body).replaceAll(from, to)),
});

/** Changes the members of an answer. */
export const respoken = (answer: HttpAnswer, change: Change): HttpAnswer => ({
  ...answer,
  body: edited(answer.body, change),
});

/** Changes the members of a refund, also of one that a known requestKey is answered with. */
const ofRefund =
  (change: Change): Change =>
  (members) =>
    "existing" in members ? within("existing", change)(members) : change(members);

/** Answers other members. */
export const misspeaks = (path: string, change: Change): (() => Plant) =>
  answersWith((answer, { path: at }) => at.startsWith(path) && respoken(answer, ofRefund(change)));

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

export const codeOf = ({ body }: HttpAnswer): unknown =>
  membersAt(parsed(body), "errorDetails")["errorCode"];

/** Says another status. */
export const withStatus = (answer: HttpAnswer, status: number): HttpAnswer => ({
  ...respoken(answer, () => ({ status })),
  status,
});

/** Says another status for a refusal, by its code. */
export const restatus = (code: string, status: number): (() => Plant) =>
  answersWith((answer) => codeOf(answer) === code && withStatus(answer, status));

export const isJson = (one: HttpCall): boolean =>
  /^application\/json *(?:;|$)/i.test(headerOf(one, "content-type"));

/** Remembers the tokens that merchants have from the start, which open every scope. */
export function remembersOwner(
  change: (owned: (call: HttpCall) => HttpCall, granted: ReadonlySet<string>) => Fault,
): Plant {
  let owner = "";
  const granted = new Set<string>();
  const state: Fault = async (one, next) => {
    const answer = await next(one);
    const token = String(parsed(answer.body)?.["accessToken"]);
    if (textOf(one.body).includes('"a merchant"')) owner = token;
    else granted.add(token);
    return answer;
  };
  const owned = (one: HttpCall): HttpCall => withHeader(one, "authorization", `Bearer ${owner}`);
  return { state, call: change(owned, granted) };
}

/** Answers a call of another scope as if the token had it. */
export const opensScope = (path: string): Plant =>
  remembersOwner((owned) => async (one, next) => {
    const answer = await next(one);
    return answer.status === 403 && one.path.startsWith(path) ? next(owned(one)) : answer;
  });

export const bearerOf = (one: HttpCall): string =>
  headerOf(one, "authorization").replace(/^Bearer /, "");

/** True for the answer of a refund that failed at once. */
export const isFailed = ({ status, body }: HttpAnswer): boolean =>
  status < 300 && parsed(body)?.["paymentStatus"] === "TERMINAL_FAILED";

/** Answers a refused refund as made, in the words of the last one that was. */
export const accepts = (...codes: readonly string[]): (() => Plant) =>
  call(() => {
    let made: HttpAnswer | undefined;
    return answers((answer, one) => {
      if (one.path === REFUNDS && answer.status === 201) made = answer;
      return codes.includes(String(codeOf(answer))) && made;
    });
  });

/** Answers refunds of a payment differently once a later state of that name has been prepared for it. */
export const afterState = (states: RegExp, change: Change) => (): Plant => {
  const payments = new Set<unknown>();
  const early = new Set<unknown>();
  return {
    state: (one, next) => {
      const members = parsed(one.body);
      if (states.test(String(members?.["state"])))
        payments.add(membersAt(members, "params")["paymentId"]);
      return next(one);
    },
    call: answers((answer, one) => {
      const { paymentId, requestKey } = parsed(one.body) ?? {};
      const isReached = payments.has(paymentId);
      if (answer.status === 201 && !isReached) early.add(requestKey);
      const isMeant = answer.status === 409 && isReached && early.has(requestKey);
      return isMeant && respoken(answer, ofRefund(change));
    }),
  };
};

/** The answer to a call that ended a subscription. */
export function ended({ headers }: HttpAnswer, one: HttpCall): HttpAnswer {
  const members: Members = { subscriptionKey: parsed(one.body)?.["subscriptionId"] };
  return {
    status: 200,
    headers: { ...headers, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(members)),
  };
}

/** The same call about a subscription that does not exist. */
export const ofNobody = (one: HttpCall): HttpCall =>
  withBody(one, () => ({ subscriptionId: "sub_of_nobody" }));
