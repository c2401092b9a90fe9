import type {
  Inbox,
  InboxQueue,
  InboxTransaction,
  TransactionalInbox,
} from "@countersign/receiver";
import type { CrashPoint } from "./crash-points.ts";

/** An inbox that reports the points that its calls pass. */
export function crashingInbox<InboxType extends Inbox>(
  inbox: InboxType,
  passing: (point: CrashPoint) => void,
): InboxType {
  const between = async <Result>(
    before: CrashPoint,
    call: () => Promise<Result>,
    after: CrashPoint,
  ): Promise<Result> => {
    passing(before);
    const result = await call();
    // A take without events has not taken anything.
    if (!Array.isArray(result) || result.length > 0) passing(after);
    return result;
  };
  const commit = <Result>(call: () => Promise<Result>): Promise<Result> =>
    between("before the commit", call, "after the commit");
  const crashingQueue = (queue: InboxQueue): InboxQueue => ({
    ...queue,
    store: (request) => between("before the store", () => queue.store(request), "after the store"),
    take: (request) => between("before the take", () => queue.take(request), "after the take"),
  });
  return {
    ...inbox,
    claim: (request) => between("before the claim", () => inbox.claim(request), "after the claim"),
    complete: (completion) => commit(() => inbox.complete(completion)),
    ...(isTransactional(inbox) && {
      begin(claim: Parameters<typeof inbox.begin>[0]): InboxTransaction<unknown> {
        const transaction = inbox.begin(claim);
        return { ...transaction, commit: (at) => commit(() => transaction.commit(at)) };
      },
    }),
    ...(inbox.queue && { queue: crashingQueue(inbox.queue) }),
  };
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> => "begin" in inbox;
