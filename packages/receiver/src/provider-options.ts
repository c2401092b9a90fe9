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
 *   without a query; `claims` has not exactly the provider's own claims.
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
  const wrong =
    asked.find((name) => typeof claims[name] !== "string" || claims[name] === "") ??
    Object.keys(claims).find((name) => !asked.includes(name));
  if (wrong !== undefined)
    throw new MistakeError(
      asked.length === 0
        ? `${caller}: "claims" has no effect: ${scheme.title} has no claims of its own`
        : `${caller}: "claims" must have a text for ${asked.map(quoted).join(", ")} and nothing else: ${scheme.title} demands it`,
    );
  // The schemas of this project's own interfaces are complete; vendors add members and values without notice.
  const refuses = (validate ?? (isOwn(provider) ? "refuse" : "report")) === "refuse";
  return { publicUrl: url, claims, refuses };
}

/** @throws {MistakeError} An option of `createReceiver` has no effect with the provider, or "keyOf" is missing. */
export function checkUse(
  { mode = "both", replay = "report", verifyToken, keyOf }: AnyOptions,
  { provider, scheme, events, handshakes, catalogue }: ProviderParts,
): void {
  const { title, retries } = provider;
  const idle = (name: string, why: string): MistakeError =>
    mistake(`"${name}" has no effect: ${title} ${why}`, "CS_OPTION_CONFLICT");
  if (mode !== "both" && events.every(({ live }) => live === undefined))
    throw idle("mode", "does not say whether an event is live");

  const byType = typeof replay === "string" ? { "": replay } : replay;
  const isProved = events.every(({ id, provesId }) =>
    id.length > 0 ? provesId : retries !== "none",
  );
  if (Object.values(byType).includes("refuse") && isProved)
    throw idle("replay", "signs its events' ids, or repeats those without one");
  for (const type of typeof replay === "string" ? [] : Object.keys(replay))
    if (catalogue.size > 0 && !catalogue.has(type) && !hasOwnPrefix(type, provider))
      throw mistake(`"replay" has the unknown type ${quoted(type)}; expected one of the catalogue`);

  if (verifyToken !== undefined && handshakes.every(({ token }) => token === undefined))
    throw idle("verifyToken", "sends no token with a handshake");
  if (keyOf !== undefined && !scheme.needsKey)
    throw idle("keyOf", 'names no key in its attempts: give its keys as "secrets"');
  if (keyOf === undefined && scheme.needsKey)
    throw mistake(
      `${title} names its key in each attempt: set "keyOf" to a function that finds it`,
    );
}

const mistake = (text: string, code: MistakeCode = "CS_OPTION_INVALID"): MistakeError =>
  new MistakeError(`createReceiver: ${text}`, code);
