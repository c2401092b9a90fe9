import { randomBytes } from "node:crypto";
import type { CheckedHeaders, Secret, SignatureScheme } from "@countersign/signatures/stated";
import type { SecretsOption } from "../options.ts";
import type { Deadline } from "./admission.ts";
import type { Attempt } from "./body.ts";
import type { SignedIdentity } from "./envelope.ts";
import { warnProcess } from "./failure-log.ts";
import { failed, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts, TenantSecrets } from "./parts.ts";

/** Verified in place of an unknown tenant's secrets, so that the time of a refusal does not reveal which tenants exist. */
const DECOYS: readonly Secret[] = [{ raw: randomBytes(64) }];

/** The proof of a genuine signature. */
export interface Verified extends SignedIdentity {
  /** Index of the secret that matched. */
  readonly secretIndex: number;
}

/** Verifies the signature with the secrets of the attempt's tenant. */
export async function verify(
  { headers, path }: Attempt,
  { body, checked }: { readonly body: Uint8Array; readonly checked: CheckedHeaders | undefined },
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Verified | Outcome> {
  const { scheme, toleranceSeconds, findSecrets, failures } = parts;
  try {
    const found = deadline.during(secretsLate, () => findSecrets({ headers, path }));
    const { tenant, secrets } = found instanceof Promise ? await found : found;
    failures.hide(secrets);
    const known = secrets.length > 0;
    const now = parts.now();
    const verification = scheme.verify({ headers, body, checked }, known ? secrets : DECOYS, {
      now,
      toleranceSeconds,
    });
    if (!known) return rejected("CS_TENANT_UNKNOWN");
    if (!verification.ok) {
      const explanation = await parts.explain?.({ headers, body, secrets, now });
      const facts = { ...verification.facts, ...(explanation && { explanation }) };
      return rejected(verification.code, { facts });
    }
    return {
      provider: parts.provider,
      tenant,
      id: verification.id,
      secretIndex: verification.secretIndex,
    };
  } catch (error) {
    // The merchant's own look-up failed, or returned an unusable secret.
    return failed("CS_SECRETS_UNAVAILABLE", error);
  }
}

const secretsLate = (): Outcome =>
  failed("CS_SECRETS_UNAVAILABLE", new Error('"secrets" did not answer within limits.answerMs'));

/** Checks a list now; the answer of a function is checked with each attempt. */
export function checkSecrets(
  secrets: SecretsOption,
  scheme: SignatureScheme,
): ReceiverParts["findSecrets"] {
  if (typeof secrets === "function")
    return async (request) => tenantSecrets(await secrets(request));
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(
      'createReceiver: "secrets" must have at least one secret, or be a function',
    );
  const list: readonly (Secret | undefined)[] = secrets;
  const given = list.map((secret, index): Secret => {
    if (secret !== undefined) return secret;
    throw new TypeError(
      `createReceiver: secrets[${String(index)}] is undefined: is its environment variable set?`,
    );
  });
  for (const { warning } of scheme.check(given, "verify"))
    if (warning !== undefined) warnProcess("CS_SECRET_DOUBTFUL", `createReceiver: ${warning}`);
  const answer: TenantSecrets = { tenant: "", secrets: given };
  return () => answer;
}

/** Plain JavaScript may return anything; the receiver answers 503 until the function is corrected. */
function tenantSecrets(answer: TenantSecrets): TenantSecrets {
  if (Array.isArray(answer))
    throw new TypeError(
      '"secrets" must return { tenant, secrets }, not a list: without a tenant, one merchant could ' +
        'use up the event ids of another. Return { tenant: "", secrets } if there is only one',
    );
  if (typeof answer?.tenant !== "string" || !Array.isArray(answer.secrets))
    throw new TypeError('"secrets" must return { tenant, secrets }: a text and a list of secrets');
  return answer;
}
