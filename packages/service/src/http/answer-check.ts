import type { SchemaError, Validator } from "@countersign/schemas";
import * as readers from "@countersign/schemas/readers";
import * as writers from "@countersign/schemas/writers";
import type { Policy } from "../policy.ts";
import { membersOf } from "./members-of.ts";

interface Pair {
  readonly writer: Validator<unknown>;
  readonly reader: Validator<unknown>;
}

/** Which schema a body is of. */
export type BodyKind =
  | "customer"
  | "flatError"
  | "problem"
  | "refund"
  | "subscribed"
  | "token"
  | "tokenError"
  | "unsubscribed";

const bodies: Readonly<Record<BodyKind, Pair>> = {
  customer: { writer: writers.validateCustomer, reader: readers.validateCustomer },
  flatError: { writer: writers.validateFlatError, reader: readers.validateFlatError },
  problem: { writer: writers.validateProblem, reader: readers.validateProblem },
  refund: { writer: writers.validateRefund, reader: readers.validateRefund },
  subscribed: {
    writer: writers.validateSubscribeResponse,
    reader: readers.validateSubscribeResponse,
  },
  token: { writer: writers.validateTokenResponse, reader: readers.validateTokenResponse },
  tokenError: { writer: writers.validateTokenError, reader: readers.validateTokenError },
  unsubscribed: {
    writer: writers.validateUnsubscribeResponse,
    reader: readers.validateUnsubscribeResponse,
  },
};

/** An answer that does not fit its schema: a fault of this program. */
export class DefectiveAnswerError extends Error {
  /** Where, and the keyword that says so. Holds no value. */
  readonly defect: string;
  constructor(kind: BodyKind, faults: readonly SchemaError[]) {
    super("an answer does not fit its schema");
    this.name = new.target.name;
    const places = faults.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
    this.defect = `${kind}: ${places.join(", ")}`;
  }
}

/**
 * Judges a body by its schema, as it is written: no member that the schema does not know, values of
 * open sets aside, which a profile or a sandbox may have more of.
 *
 * @throws {DefectiveAnswerError}
 */
export function checkBody(policy: Policy, kind: BodyKind, body: object): void {
  const { writer, reader } = bodies[kind];
  const written = asSchemaHasIt(policy, kind, JSON.parse(JSON.stringify(body)));
  const judged = writer(written);
  if (judged.ok) return;
  const isOpen = judged.errors.every(({ keyword }) => keyword === "enum") && reader(written).ok;
  if (!isOpen) throw new DefectiveAnswerError(kind, judged.errors);
}

/** A profile may leave out a member that the schema requires (S 2.2). */
function asSchemaHasIt({ refund }: Policy, kind: BodyKind, body: unknown): unknown {
  if (kind !== "refund" || refund.absentReference !== "omit") return body;
  return { clientReferenceId: null, ...membersOf(body) };
}
