import type { Inbox } from "../inbox/inbox.ts";
import { claimChecks } from "./inbox-conformance/claims.ts";
import { queueChecks } from "./inbox-conformance/queue.ts";
import { resourceChecks } from "./inbox-conformance/resources.ts";

/** One sentence about an inbox, and what proves it. `run` rejects with an `AssertionError` where it does not hold. */
export interface InboxCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface InboxConformanceOptions {
  /** An empty inbox, or one whose earlier events the check never meets: each check calls it once. */
  readonly open: () => Inbox | Promise<Inbox>;
  /** Called after each check, also after a failed one. */
  readonly close?: (inbox: Inbox) => void | Promise<void>;
}

/**
 * What every inbox promises, as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of inboxConformance({ open: () => myInbox() })) test(name, run);
 * ```
 *
 * The optional parts (`lastHandled`, `purge`, `queue`) are checked with the tests of an inbox that
 * has them; a check of a missing part fails, unless `parts` leaves it out.
 */
export function inboxConformance(
  options: InboxConformanceOptions & {
    /** Default: all of them. */
    readonly parts?: readonly InboxPart[];
  },
): readonly InboxCheck[] {
  const { open, close, parts = ["claims", "resources", "queue"] } = options;
  const checks = { claims: claimChecks, resources: resourceChecks, queue: queueChecks };
  return parts.flatMap((part) =>
    Object.entries(checks[part]).map(([name, check]) => ({
      name,
      run: async () => {
        const inbox = await open();
        try {
          await check(inbox);
        } finally {
          await close?.(inbox);
        }
      },
    })),
  );
}

/** `claims`: every inbox. `resources`: `order: 'per-resource'` and `purge`. `queue`: `acknowledge: 'after-store'`. */
export type InboxPart = "claims" | "resources" | "queue";
