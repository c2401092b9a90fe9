import { hash, timingSafeEqual } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  conditionOf,
  type IsMet,
  type ParsedPlace,
  parsePlace,
  type Places,
} from "@countersign/signatures/places";
import type { ReceiverResponse } from "./outcome.ts";

/** A request that is answered and never recorded: a challenge, or a ping. */
export interface HandshakePlan {
  readonly when: IsMet;
  readonly method: "GET" | "POST";
  /** The place of the token that proves an unsigned handshake. */
  readonly token: ParsedPlace | undefined;
  readonly status: number;
  readonly text: ParsedPlace | undefined;
  readonly json: readonly (readonly [name: string, at: ParsedPlace, isHmac: boolean])[] | undefined;
}

/** @throws {TypeError} An unsigned handshake has no token, or would sign a stranger's text. */
export function compileHandshakes({
  title,
  handshakes = [],
  answer: { success = 204 } = {},
}: ProviderDocument): readonly HandshakePlan[] {
  return handshakes.map(
    ({ when, method = "POST" as const, token, answer: { text, json, ...own } }) => {
      const members = Object.entries(json ?? {}).map(([name, value]) =>
        typeof value === "string"
          ? ([name, parsePlace(value), false] as const)
          : ([name, parsePlace(value.hmac), true] as const),
      );
      const isUnsigned = method === "GET" || token !== undefined;
      if (isUnsigned && members.some(([, , isHmac]) => isHmac))
        throw new TypeError(`${title}: an unsigned handshake must not sign what a stranger sends`);
      if (method === "GET" && token === undefined)
        throw new TypeError(
          `${title}: a handshake by GET is not signed, and would answer anybody: add the place of its "token"`,
        );
      return {
        when: conditionOf(when),
        method,
        token: token === undefined ? undefined : parsePlace(token),
        status: own.status ?? (text || json ? 200 : success),
        text: text === undefined ? undefined : parsePlace(text),
        json: json && members,
      };
    },
  );
}

/**
 * Answers a handshake, if the request is one.
 *
 * @param proof Signs with the secret that signed the request; or the user's token if nothing is signed: without the
 *   token in the request it is not answered.
 */
export function answerHandshake(
  plans: readonly HandshakePlan[],
  places: Places,
  proof:
    | { readonly sign: (text: string) => string }
    | { readonly method: "GET" | "POST"; readonly verifyToken: string | undefined },
): ReceiverResponse | undefined {
  const plan = plans.find(
    ({ method, token, when }) =>
      ("sign" in proof
        ? method === "POST" && token === undefined
        : method === proof.method && isToken(token, places, proof)) && when(places),
  );
  if (plan === undefined) return undefined;
  const { status, text, json } = plan;
  const member = (at: ParsedPlace, isHmac: boolean): unknown => {
    const value = places.value(at);
    return isHmac && "sign" in proof ? proof.sign(String(value)) : value;
  };
  if (json !== undefined) {
    const members = json.map(([name, at, isHmac]) => [name, member(at, isHmac)] as const);
    return answer(status, "application/json", JSON.stringify(Object.fromEntries(members)));
  }
  if (text !== undefined) return answer(status, "text/plain", String(places.value(text) ?? ""));
  return { status, headers: {}, body: "" };
}

/** A browser must not take a stranger's text for a page. */
const answer = (status: number, type: string, body: string): ReceiverResponse => ({
  status,
  headers: { "content-type": type, "x-content-type-options": "nosniff" },
  body,
});

/** Compares in constant time. */
function isToken(
  token: ParsedPlace | undefined,
  places: Places,
  { verifyToken }: { readonly verifyToken: string | undefined },
): boolean {
  if (token === undefined || verifyToken === undefined) return false;
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(String(places.value(token) ?? "")), digest(verifyToken));
}
