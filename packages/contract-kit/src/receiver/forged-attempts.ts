import type { Attempt } from "../harness/attempt-maker.ts";
import { brokenAttempts } from "../harness/broken-attempts.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { headerValue, type RawRequest, transports } from "../harness/message.ts";
import type { CatalogueRow } from "../harness/provider-events.ts";
import { knownKeys } from "./forged-keys.ts";
import { MOVED, otherwise, tampered, unsigned } from "./forged-parts.ts";
import { weakSignatures } from "./forged-signatures.ts";
import { otherSpellings, partialSignatures } from "./forged-spellings.ts";
import { op, type Operation } from "./forged-operation.ts";
import type { InvalidAttempt } from "./receiver-check.ts";

/**
 * Attempts that are forged in one way each, by the requirement that refuses them: every operation on every part, with
 * types of events by the seed, and the plainest ones with every type and in every form of HTTP. A change that the
 * scheme's own verifier accepts is left out.
 */
export function forgedAttempts(
  kit: KitSender,
  accepted: Attempt,
): Readonly<Partial<Record<string, readonly InvalidAttempt[]>>> {
  const { events, signing } = kit;
  const operations = [
    ...Object.values(brokenAttempts).map(({ requirement, what, make }) =>
      op(requirement, what, ({ attempt }) => make(kit, attempt.event)),
    ),
    ...unsigned(kit),
    ...tampered(kit, accepted),
    ...partialSignatures(signing),
    ...otherSpellings(signing),
    ...otherwise(kit),
    ...knownKeys(kit),
    ...weakSignatures(signing),
  ].filter(({ requirement }) => kit.isSelected(requirement));
  const { unsigned: bare, "wrong-secret": foreign, "changed-id": renamed } = brokenAttempts;
  const last = signing.parts.at(-1)?.name ?? "";
  const core = [bare.what, foreign.what, renamed.what, MOVED, `an attempt without ${last}`];
  core.push("a time moved by 60 s", "a body with one letter changed, place 1");
  // The check of one type may be missing.
  const { catalogue = [] } = events.provider;
  const rare = catalogue.filter((row) => events.isUsual(row) && !events.rows.includes(row));
  const made = [
    ...operations.flatMap((one, index) => forge(kit, accepted, one, { row: kit.row(index) })),
    ...operations
      .filter(({ what }) => core.includes(what))
      .flatMap((one) => [
        ...[...events.rows, ...(one.what === bare.what ? rare : [])].flatMap((row) =>
          forge(kit, accepted, one, { row, where: ` (${row.type})` }),
        ),
        ...Object.entries(transports).flatMap(([form, recast]) =>
          forge(kit, accepted, one, { recast, where: `, ${form}` }),
        ),
      ]),
  ];
  return Object.groupBy(made, ({ requirement }) => requirement);
}

interface Variant {
  readonly row?: CatalogueRow | undefined;
  /** Another form of HTTP. */
  readonly recast?: (attempt: Attempt) => RawRequest;
  /** After the operation's name. */
  readonly where?: string;
}

/** Returns one attempt; none if the scheme has no such part, or its own verifier accepts the change. */
function forge(
  kit: KitSender,
  accepted: Attempt,
  { requirement, what, change }: Operation,
  { row, recast, where = "" }: Variant,
): readonly (InvalidAttempt & Pick<Operation, "requirement">)[] {
  const timestamp = kit.seconds();
  const attempt = kit.attempt({ row, timestamp });
  const { event } = attempt;
  const changed = change({ kit, attempt, timestamp, accepted });
  if (changed === undefined) return [];
  const isEncoded = changed.headers.some(([name]) => name === "Content-Encoding");
  if (!isEncoded && kit.isGenuine(changed)) return [];
  const { at = "" } = kit.signing.provider.id ?? {};
  const carried = headerValue(changed.headers, at.replace("header:", "").toLowerCase());
  // A shorter one may be the id of another event of this run, and the accepted one has had its effect.
  const isOwn = carried.length >= event.id.length && carried !== accepted.event.id;
  const otherIds = isOwn ? [carried] : [];
  return [{ ...changed, ...recast?.(changed), event, requirement, what: what + where, otherIds }];
}
