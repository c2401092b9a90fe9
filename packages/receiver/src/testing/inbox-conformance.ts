import type { Inbox } from "../inbox/inbox.ts";
import { claimChecks, resourceChecks } from "./inbox-conformance/claims.ts";
import { orderedQueueChecks } from "./inbox-conformance/ordered-queue.ts";
import { queueChecks } from "./inbox-conformance/queue.ts";

/** One promise of an inbox. `run` rejects with an `AssertionError` if the inbox breaks it. */
export interface InboxCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface InboxConformanceOptions {
  /** Returns an empty inbox. Each check calls it once. */
  readonly open: () => Inbox | Promise<Inbox>;
  /** Called after each check, also after a failed one. */
  readonly close?: (inbox: Inbox) => void | Promise<void>;
}

/**
 * Returns the promises of an inbox as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of inboxConformance({ open: () => myInbox() })) test(name, run);
 * ```
 *
 * `parts` leaves out what an inbox does not have: `resources` is for `order: 'per-resource'` and
 * `purge`, `queue` for `acknowledge: 'after-store'`.
 */
export function inboxConformance(
  options: InboxConformanceOptions & {
    /** Default: `["claims", "resources"]`. */
    readonly parts?: readonly InboxPart[];
  },
): readonly InboxCheck[] {
  const { open, close, parts = ["claims", "resources"] } = options;
  const checks = {
    claims: claimChecks,
    resources: resourceChecks,
    queue: { ...queueChecks, ...orderedQueueChecks },
  };
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

export type InboxPart = "claims" | "resources" | "queue";
