import { type MistakeCode, MistakeError } from "./mistake.ts";
import type { ReceiverOptions } from "./options.ts";
import type { ProviderParts, VerifyParts } from "./pipeline/parts.ts";
import { quoted } from "./pipeline/router.ts";
import { hasOwnPrefix, isOwn } from "./provider.ts";

type AnyOptions = ReceiverOptions<unknown>;

/**
 * Checks the options that `createReceiver` and `verifyEvent` share.
 *
 * @throws {MistakeError} `CS_OPTION_INVALID` `url` is missing though the provider signs it, or is not an http or https URL
 *   without a query; `claims` lacks one of the provider's own.
 */
export function verifySettings(
  { url, claims = {}, validate }: Pick<AnyOptions, "url" | "claims" | "validate">,
  { provider, scheme }: ProviderParts,
  caller: string,
): Omit<VerifyParts, keyof ProviderParts> {
  if (url === undefined && scheme.needsUrl)
    throw new MistakeError(
      `${caller}: ${scheme.title} signs the URL: set "url" to the public URL that its dashboard has`,
    );
  if (url !== undefined && !(/^https?:[^?#]*$/i.test(url) && URL.canParse(url)))
    throw new MistakeError(
      `${caller}: "url" must be the public http or https URL of this endpoint, without a query`,
    );
  const asked = Object.values(provider.signature.claims ?? {}).flatMap((demand) =>
    typeof demand === "string" && demand.startsWith("option:") ? demand.slice(7) : [],
  );
  if (asked.some((name) => typeof claims[name] !== "string" || claims[name] === ""))
    throw new MistakeError(
      `${caller}: "claims" must have a text for ${asked.map(quoted).join(", ")}: ${scheme.title} demands it`,
    );
  // The schemas of this project's own interfaces are complete; vendors add members and values without notice.
  const refuses = (validate ?? (isOwn(provider) ? "refuse" : "report")) === "refuse";
  return { publicUrl: url, claims, refuses };
}

/**
 * Checks options against the provider. `keyOf`, `claims` and `verifyToken` may be given to a provider that has no use for them:
 * one set of options can serve many.
 *
 * @throws {MistakeError} `mode` has no effect, `replay` has an unknown type, or `keyOf` is missing.
 */
export function checkUse(
  { mode = "both", replay = "report", keyOf }: AnyOptions,
  { provider, scheme, events, catalogue }: ProviderParts,
): void {
  if (mode !== "both" && events.every(({ live }) => live === undefined))
    throw mistake(
      `"mode" has no effect: ${scheme.title} does not say whether an event is live`,
      "CS_OPTION_CONFLICT",
    );
  for (const type of typeof replay === "string" ? [] : Object.keys(replay))
    if (catalogue.size > 0 && !catalogue.has(type) && !hasOwnPrefix(type, provider))
      throw mistake(`"replay" has the unknown type ${quoted(type)}; expected one of the catalogue`);
  if (keyOf === undefined && scheme.needsKey)
    throw mistake(
      `${scheme.title} names its key in each attempt: set "keyOf" to a function that finds it`,
    );
}

const mistake = (text: string, code: MistakeCode = "CS_OPTION_INVALID"): MistakeError =>
  new MistakeError(`createReceiver: ${text}`, code);
