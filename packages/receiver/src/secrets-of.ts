import type { Secret, SignatureScheme } from "@countersign/signatures";
import type { SecretsOption } from "./options.ts";
import type { ReceiverParts, TenantSecrets } from "./receiver-parts.ts";

/** A list is checked now, at start-up; what a function returns is checked with each attempt. */
export function secretsOf(
  secrets: SecretsOption,
  scheme: SignatureScheme,
): ReceiverParts["secretsOf"] {
  if (typeof secrets === "function")
    return async (request) => {
      const answer = await secrets(request);
      return isList(answer) ? { tenant: "", secrets: answer } : answer;
    };
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(
      'createReceiver: "secrets" must hold at least one secret, or be a function',
    );
  const list: readonly (Secret | undefined)[] = secrets;
  const given = list.map((secret, index): Secret => {
    if (secret !== undefined) return secret;
    throw new TypeError(
      `createReceiver: secrets[${String(index)}] is undefined: is its environment variable set?`,
    );
  });
  scheme.check(given, "verify");
  const answer: TenantSecrets = { tenant: "", secrets: given };
  return () => answer;
}

const isList = (answer: readonly Secret[] | TenantSecrets): answer is readonly Secret[] =>
  Array.isArray(answer);
