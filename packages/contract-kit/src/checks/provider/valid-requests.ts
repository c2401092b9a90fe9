import fc from "fast-check";
import type { Profile, RefundRequest } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import { arbitrary } from "../../derive/arbitrary.ts";
import { standardSchemas } from "../../derive/schema-set.ts";
import { isCreated, shown } from "./refunds.ts";
import { playScenario } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const TAKEN = "P-REFUND-VALID";
const REFERENCE = "P-REFUND-REFERENCE";
const ALIAS = "P-REFUND-REFERENCE-ALIAS";
const requirements = [TAKEN, REFERENCE, ALIAS, "P-ANSWER-SCHEMA"];

/** Everything that the schema of a refund request takes is taken, and its reference comes back. */
export const validRequests: ProviderCheck = {
  id: "provider/valid-requests",
  title: "every request that the schema takes is taken, and its reference comes back unchanged",
  role: "provider",
  requirements,
  run: (target, context) => {
    const schema = standardSchemas().document("resources/refund-request.schema.json");
    // The values of an arbitrary are of the schema that the type is generated from.
    const request = arbitrary(schema) as fc.Arbitrary<RefundRequest>;
    const spelt = fc.tuple(request, fc.constantFrom(...spellings)).map(respelt);
    return playScenario(
      { requirements, needs: ["payments"], arbitrary: spelt, play },
      target,
      context,
    );
  },
};

/** Which of its two spellings a reference has: by chance alone nearly all would contradict each other. */
const spellings = ["right", "wrong", "both", "as it comes"] as const;

function respelt([request, spelling]: readonly [
  RefundRequest,
  (typeof spellings)[number],
]): RefundRequest {
  const { clientReferenceId: own, clientRefefenceId: alias, ...rest } = request;
  const reference = own ?? alias;
  if (reference === undefined) return request;
  switch (spelling) {
    case "right":
      return { ...rest, clientReferenceId: reference };
    case "wrong":
      return { ...rest, clientRefefenceId: reference };
    case "both":
      return { ...rest, clientReferenceId: reference, clientRefefenceId: reference };
    case "as it comes":
      return request;
    default:
      return spelling satisfies never;
  }
}

async function play(session: Session, request: RefundRequest): Promise<void> {
  const { profile } = session.target;
  const made = await session.controls.payments?.create(10_000n);
  if (made === undefined) return;
  const json = {
    ...request,
    paymentId: made.paymentId,
    amount: { currency: "USD", value: 0.01 },
    // Its own key, with what the schema takes of any other one behind it.
    requestKey: `${session.key()}${request.requestKey}`.slice(0, profile.limits.key),
  };
  const { clientReferenceId: own, clientRefefenceId: alias } = request;
  const answer = await session.call("POST", "/v1/refunds", { json });
  const isContradiction = own !== undefined && alias !== undefined && own !== alias;
  const isRefused =
    alias !== undefined &&
    (profile.refund.typoAlias === "reject" ||
      (profile.refund.typoAlias === "alias" && isContradiction));
  if (isRefused) {
    must(ALIAS, answer.status === 400, () => `two references: 400 expected, ${shown(answer)} came`);
    return;
  }
  must(
    TAKEN,
    isCreated(answer, profile),
    () => `a valid request: ${profile.statuses.refundCreated} expected, ${shown(answer)} came`,
  );
  const isAlias = profile.refund.typoAlias === "alias" && own === undefined && alias !== undefined;
  const wanted = (isAlias ? alias : own) ?? absentReference(profile);
  const came = answer.body["clientReferenceId"];
  must(
    isAlias ? ALIAS : REFERENCE,
    came === wanted,
    () => `clientReferenceId ${JSON.stringify(wanted)} expected, ${JSON.stringify(came)} came`,
  );
}

function absentReference({ refund }: Profile): string | null | undefined {
  switch (refund.clientReferenceIdWhenAbsent) {
    case "null":
      return null;
    case "empty":
      return "";
    case "omit":
      return undefined;
    default:
      return refund.clientReferenceIdWhenAbsent satisfies never;
  }
}
