import type { SchemaError, Validator } from "@countersign/schemas";
import * as readers from "@countersign/schemas/readers";
import * as writers from "@countersign/schemas/writers";
import type { ServerResponse } from "node:http";
import { statusUnder, type Policy } from "../profile/policy.ts";
import { membersOf } from "./body.ts";
import type { Refusal } from "./problem.ts";

/** The generated page with a heading for each code, which links from a problem's `type` lead to. */
const CODES_PAGE = "https://github.com/countersign/countersign/blob/main/docs/reference/codes.md";

/** The answer to a call. */
export interface Answer {
  readonly status: number;
  /** Written with `JSON.stringify`. */
  readonly body: object;
  /** Default `application/json`. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes an answer that no cache may store: answers hold personal data and tokens. */
export function writeAnswer(
  response: ServerResponse,
  { status, body, mediaType = "application/json", headers = {} }: Answer,
): void {
  writeText(response, { status, text: JSON.stringify(body), mediaType, headers });
}

export interface TextAnswer extends Pick<Answer, "status" | "headers"> {
  readonly text: string;
  readonly mediaType: string;
}

/** Writes a text as an answer that no cache may store. */
export function writeText(
  response: ServerResponse,
  { status, text, mediaType, headers = {} }: TextAnswer,
): void {
  response.statusCode = status;
  response.setHeader("content-type", mediaType);
  response.setHeader("content-length", Buffer.byteLength(text));
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}

/**
 * Returns a refusal in the profile's form (S 7): RFC 9457 with the interface's `errorDetails`, or a flat
 * body. Only the refusal's own sentences: no stack, no SQL, no value of the request.
 */
export function problemAnswer(policy: Policy, refusal: Refusal, requestId: string): Answer {
  const { code, title, message, errors, existing, headers } = refusal;
  const status = statusUnder(policy.statuses, code) ?? refusal.status;
  const base = { status, ...(headers && { headers }) };
  switch (policy.statuses.errorBody) {
    case "flat":
      return {
        ...base,
        body: {
          errorId: requestId,
          errorCode: code,
          errorMessage: message,
          errorSeverity: status >= 500 ? "FATAL" : "ERROR",
        },
      };
    case "problem":
      return {
        ...base,
        mediaType: "application/problem+json",
        body: {
          type: `${CODES_PAGE}#${code.toLowerCase()}`,
          title,
          status,
          instance: `urn:countersign:request:${requestId}`,
          requestId,
          errorDetails: { errorCode: code, errorMessage: message },
          ...(errors && { errors }),
          ...(existing && { existing }),
        },
      };
    default:
      return policy.statuses.errorBody satisfies never;
  }
}

/** The schema of a body. */
export type BodyKind =
  | "customer"
  | "flatError"
  | "problem"
  | "refund"
  | "subscribed"
  | "token"
  | "tokenError"
  | "unsubscribed";

type Pair = readonly [writer: Validator<unknown>, reader: Validator<unknown>];

const bodies: Readonly<Record<BodyKind, Pair>> = {
  customer: [writers.validateCustomer, readers.validateCustomer],
  flatError: [writers.validateFlatError, readers.validateFlatError],
  problem: [writers.validateProblem, readers.validateProblem],
  refund: [writers.validateRefund, readers.validateRefund],
  subscribed: [writers.validateSubscribeResponse, readers.validateSubscribeResponse],
  token: [writers.validateTokenResponse, readers.validateTokenResponse],
  tokenError: [writers.validateTokenError, readers.validateTokenError],
  unsubscribed: [writers.validateUnsubscribeResponse, readers.validateUnsubscribeResponse],
};

/** An answer does not match its schema: a defect of this program. */
export class DefectiveAnswerError extends Error {
  /** The places and the violated keywords, without values. */
  readonly defect: string;
  constructor(kind: BodyKind, faults: readonly SchemaError[]) {
    super("an answer does not fit its schema");
    this.name = new.target.name;
    const places = faults.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
    this.defect = `${kind}: ${places.join(", ")}`;
  }
}

/**
 * Validates an answer's body against its schema, without unknown members. Only the values of open sets may
 * differ, since a profile or a sandbox may have more of them.
 *
 * @throws {DefectiveAnswerError}
 */
export function checkBody(policy: Policy, kind: BodyKind, body: object): void {
  const [writer, reader] = bodies[kind];
  const written = asSchemaHasIt(policy, kind, JSON.parse(JSON.stringify(body)));
  const judged = writer(written);
  if (judged.ok) return;
  const isOpen = judged.errors.every(({ keyword }) => keyword === "enum") && reader(written).ok;
  if (!isOpen) throw new DefectiveAnswerError(kind, judged.errors);
}

/** Adds a member that the schema requires and the profile may leave out (S 2.2). */
function asSchemaHasIt({ refund }: Policy, kind: BodyKind, body: unknown): unknown {
  if (kind !== "refund" || refund.clientReferenceIdWhenAbsent !== "omit") return body;
  return { clientReferenceId: null, ...membersOf(body) };
}
