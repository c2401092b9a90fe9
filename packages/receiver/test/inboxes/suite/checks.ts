import type { Inbox } from "@countersign/receiver";
import { byteChecks, queueByteChecks } from "./bytes.ts";
import { claimChecks, resourceChecks } from "./claims.ts";
import { checkFault, type InboxFault } from "./faults.ts";
import { orderedQueueChecks } from "./ordered-queue.ts";
import { queueChecks } from "./queue.ts";
import { findChecks, recordedChecks } from "./records.ts";
import { Calls, type NamedChecks } from "./samples.ts";

/** Every inbox has `claims`, a durable one `find`, a database `queue`. */
export type InboxPart = "claims" | "find" | "queue";

const CHECKS: Readonly<Record<InboxPart, NamedChecks>> = {
  claims: { ...claimChecks, ...resourceChecks, ...byteChecks },
  find: findChecks,
  queue: { ...queueChecks, ...orderedQueueChecks, ...queueByteChecks, ...recordedChecks },
};

/** The promises of an inbox, each run on an empty one, which rejects if the inbox breaks it. */
export const inboxChecks = (
  open: () => Inbox | Promise<Inbox>,
  {
    parts,
    faults = [],
  }: { parts: readonly InboxPart[]; faults?: readonly InboxFault[] | undefined },
) =>
  [
    ...parts.flatMap((part) => Object.entries(CHECKS[part])),
    ...faults.map(
      (fault) =>
        [
          `settles every call while ${fault.name}, reports nothing as done that is not recorded, and works again afterwards`,
          (calls: Calls) => checkFault(calls, fault),
        ] as const,
    ),
  ].map(([name, check]) => [name, async () => check(new Calls(await open()))] as const);
