import type { Inbox } from "../inbox/inbox.ts";
import { byteChecks, queueByteChecks } from "./inbox-conformance/bytes.ts";
import { claimChecks, resourceChecks } from "./inbox-conformance/claims.ts";
import { checkFault, type InboxFault } from "./inbox-conformance/faults.ts";
import { orderedQueueChecks } from "./inbox-conformance/ordered-queue.ts";
import { queueChecks } from "./inbox-conformance/queue.ts";
import { Calls } from "./inbox-conformance/samples.ts";

/** One promise of an inbox. `run` rejects with an `AssertionError` if the inbox breaks it. */
export interface InboxCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** `resources` is for `order: 'per-resource'` and `purge`, `queue` for `acknowledge: 'after-store'`. */
export type InboxPart = "claims" | "resources" | "queue";

export interface InboxConformanceOptions<InboxType extends Inbox = Inbox> {
  /** Returns an empty inbox. Each check calls it once. */
  readonly open: () => InboxType | Promise<InboxType>;
  /** Called after each check, also after a failed one. */
  readonly close?: (inbox: InboxType) => void | Promise<void>;
  /** The parts that the inbox has. Default `["claims", "resources"]`. */
  readonly parts?: readonly InboxPart[];
  /** Faults of the store, each of which gives a check. Default none. */
  readonly faults?: readonly InboxFault[];
}

/**
 * Returns the promises of an inbox as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of inboxConformance({ open: () => myInbox() })) test(name, run);
 * ```
 */
export function inboxConformance<InboxType extends Inbox>({
  open,
  close,
  parts = ["claims", "resources"],
  faults = [],
}: InboxConformanceOptions<InboxType>): readonly InboxCheck[] {
  const checks = {
    claims: { ...claimChecks, ...byteChecks },
    resources: resourceChecks,
    queue: { ...queueChecks, ...orderedQueueChecks, ...queueByteChecks },
  };
  const named = [
    ...parts.flatMap((part) => Object.entries(checks[part])),
    ...faults.map(
      (fault) =>
        [
          `settles every call while ${fault.name}, reports nothing as done that is not recorded, and works again afterwards`,
          (calls: Calls) => checkFault(calls, fault),
        ] as const,
    ),
  ];
  return named.map(([name, check]) => ({
    name,
    run: async () => {
      const inbox = await open();
      try {
        await check(new Calls(inbox));
      } finally {
        await close?.(inbox);
      }
    },
  }));
}
