import type { Profile } from "@countersign/schemas";
import { schemeOf } from "@countersign/signatures";
import type { ReceivedAttempt } from "../target.ts";
import { idOf } from "./delivered-event.ts";
import { must } from "./violation.ts";

const HEADERS = "P-EVENT-HEADERS";
const SIGNED = "P-EVENT-SIGNED";
const TIMESTAMP = "P-EVENT-TIMESTAMP";

/** Whether an attempt verifies with a subscription's secret. */
export function isGenuine(attempt: ReceivedAttempt, secretKey: string, profile: Profile): boolean {
  return verified(attempt, secretKey, profile).ok;
}

/**
 * An attempt's form, its signature over the very bytes that came, and its time.
 *
 * @returns The signed time in seconds; `undefined` where the scheme signs none.
 * @throws {Violation} `P-EVENT-HEADERS`, `P-EVENT-SIGNED` or `P-EVENT-TIMESTAMP`.
 */
export function requireGenuine(
  attempt: ReceivedAttempt,
  secretKey: string,
  profile: Profile,
): number | undefined {
  const type = (attempt.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  must(HEADERS, attempt.method === "POST" && type === "application/json", () => {
    return `an attempt is a ${attempt.method} of ${type || "no media type"}, not a POST of application/json`;
  });
  const verification = verified(attempt, secretKey, profile);
  if (!verification.ok) {
    const { code } = verification;
    must(HEADERS, !/_HEADER_/.test(code), () => `an attempt's headers of the scheme: ${code}`);
    must(TIMESTAMP, !code.startsWith("CS_SIGNATURE_TIMESTAMP"), () => {
      return `an attempt's timestamp, received at ${Math.floor(attempt.at / 1000)}: ${code}`;
    });
    must(SIGNED, false, () => `the bytes that came are not what was signed: ${code}`);
    return undefined;
  }
  const id = idOf(attempt.body, profile);
  must(SIGNED, verification.id === undefined || verification.id === id, () => {
    return `the signed id ${String(verification.id)} is not the event's, ${String(id)}`;
  });
  return verification.timestamp;
}

function verified(
  { headers, body, at }: ReceivedAttempt,
  secretKey: string,
  profile: Profile,
): ReturnType<ReturnType<typeof schemeOf>["verify"]> {
  const { toleranceSeconds } = profile.signature;
  return schemeOf(profile.signature).verify({ headers, body }, [secretKey], {
    now: at,
    toleranceSeconds,
  });
}
