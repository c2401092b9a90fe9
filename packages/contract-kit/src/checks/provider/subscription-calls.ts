import type { Profile } from "@countersign/schemas";
import { shown } from "./refunds.ts";
import type { Reading, Session } from "../../harness/session.ts";
import { must, NotShown } from "../../harness/violation.ts";

export type Details =
  | { readonly type: "ALL" }
  | { readonly type: "EVENT" | "CATEGORY"; readonly details: readonly string[] };

export const ALL: Details = { type: "ALL" };

export interface Subscribing {
  /** Whose failure it is where a right subscription is refused. */
  readonly requirement: string;
  readonly url: string;
  readonly details?: Details;
  /** Default: a text of its own. */
  readonly secretKey?: string;
}

/**
 * Subscribes, to everything by default.
 *
 * @returns The subscription's key.
 * @throws {NotShown} The target takes no address like the kit's: in `serve` none of loopback, for one.
 */
export async function subscribe(
  session: Session,
  { requirement, url, details = ALL, secretKey = newSecret(session) }: Subscribing,
): Promise<string> {
  const json = { url, secretKey, subscriptionDetails: details };
  const answer = await session.call("POST", "/v1/webhook/subscribe", { json });
  requireAddress(answer, url);
  const { subscribed: wanted } = session.target.profile.statuses;
  must(
    requirement,
    answer.status === wanted,
    () => `subscribing to ${JSON.stringify(details)}: ${wanted} expected, ${shown(answer)} came`,
  );
  return String(answer.body["subscriptionKey"]);
}

/** @throws {NotShown} The answer refuses the address, and nothing else is wrong with the call. */
export function requireAddress({ status, text }: Reading, url: string): void {
  if (status === 400 && /"\/url"|"INVALID_URL"/.test(text))
    throw new NotShown(`the target takes no subscription of ${url} (--callback-url gives another)`);
}

/** A secretKey that no other subscription has. */
export function newSecret(session: Session): string {
  return `${session.key()}-secret-of-the-kit`;
}

/** Takes a part of a subscription away, its key where the profile has it. */
export function askUnsubscribe(
  session: Session,
  { key, details = ALL }: { readonly key: string; readonly details?: Details },
): Promise<Reading> {
  const { idIn } = session.target.profile.subscription;
  const told = { subscriptionDetails: details };
  const call = (path: string, json: object): Promise<Reading> =>
    session.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
  switch (idIn) {
    case "body":
      return call("", { subscriptionId: key, ...told });
    case "path":
      return call(`/${key}`, told);
    case "query":
      return call(`?subscriptionId=${key}`, told);
    default:
      return idIn satisfies never;
  }
}

/** As `askUnsubscribe`, where it must succeed. */
export async function unsubscribe(
  session: Session,
  { key, details = ALL }: { readonly key: string; readonly details?: Details },
): Promise<void> {
  const { closed } = session.target.profile.subscription;
  const answer = await askUnsubscribe(session, { key, details });
  // Where a profile refuses what is closed, taking away the rest is the end of it.
  const isAllowed =
    answer.status === 200 || (closed !== "ok" && [404, 410].includes(answer.status));
  must(
    "P-UNSUBSCRIBE-SUBTRACT",
    isAllowed,
    () => `unsubscribing ${JSON.stringify(details)}: 200 expected, ${shown(answer)} came`,
  );
}

/** The names that a selection means. */
export function named(details: Details, catalogue: Profile["catalogue"]): ReadonlySet<string> {
  const isMeant = ({ type, category }: Profile["catalogue"][number]): boolean =>
    details.type === "ALL" || details.details.includes(details.type === "EVENT" ? type : category);
  return new Set(catalogue.filter(isMeant).map(({ type }) => type));
}

/** Every name of the catalogue, once. */
export function typesOf({ catalogue }: Profile): readonly string[] {
  return [...new Set(catalogue.map(({ type }) => type))];
}
