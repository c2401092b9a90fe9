import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Secret } from "@countersign/signatures";
import { AttemptMaker } from "./harness/attempt-maker.ts";
import { ProviderEvents, type CatalogueRow, type Samples } from "./harness/provider-events.ts";
import { Signing } from "./harness/signing.ts";

export type { Attempt, AttemptMaker } from "./harness/attempt-maker.ts";
export { type BrokenKind, brokenAttempts } from "./harness/broken-attempts.ts";
export { ownFormOf, readEvent } from "./harness/event-forms.ts";
export type { TestEvent } from "./harness/provider-events.ts";

export interface AttemptsOptions {
  readonly provider: ProviderDocument;
  /** The receiver's URL, which some providers sign. */
  readonly url: URL;
  /** The receiver's secrets, the one to sign with first. */
  readonly secrets: readonly Secret[];
  /** Begins the ids of all events. */
  readonly prefix: string;
  /** The types of events; the first one is sent if none is chosen. */
  readonly rows: readonly CatalogueRow[];
  /** Whole bodies by type, that events are made like. Default: examples of the catalogue's schemas. */
  readonly samples?: Samples | undefined;
  /** Values of the claims that the document leaves to the user. Default: none. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds since 1970. Default: this machine's clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * Makes attempts as a provider makes them: its headers, ids, times, body and signature.
 *
 * @throws {TypeError} Only the provider has the keys that it signs with, or a secret is not in its form.
 */
export function attemptMaker(options: AttemptsOptions): AttemptMaker {
  const { provider, url, secrets, prefix, rows, samples, claims, now = Date.now } = options;
  const signing = new Signing(provider, claims);
  signing.check(secrets);
  const events = new ProviderEvents({
    provider,
    path: `${url.pathname}${url.search}`,
    rows,
    ...(samples && { samples }),
  });
  return new AttemptMaker({ signing, events, secrets, url, now, prefix });
}
