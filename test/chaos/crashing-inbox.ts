import type {
  Inbox,
  InboxQueue,
  InboxTransaction,
  TransactionalInbox,
} from "@countersign/receiver";
import type { CrashPoint } from "./crash-points.ts";

/** An inbox that tells which points its calls pass. */
export function crashingInbox<InboxType extends Inbox>(
  inbox: InboxType,
  passing: (point: CrashPoint) => void,
): InboxType {
  const complete: Inbox["complete"] = async (settlement) => {
    passing("before the commit");
    const done = await inbox.complete(settlement);
    passing("after the commit");
    return done;
  };
  return {
    ...inbox,
    async claim(request) {
      passing("before the claim");
      const claim = await inbox.claim(request);
      passing("after the claim");
      return claim;
    },
    complete,
    ...(isTransactional(inbox) && {
      begin(claim: Parameters<typeof inbox.begin>[0]): InboxTransaction<unknown> {
        const transaction = inbox.begin(claim);
        return {
          ...transaction,
          async commit(at) {
            passing("before the commit");
            const commit = await transaction.commit(at);
            passing("after the commit");
            return commit;
          },
        };
      },
    }),
    ...(inbox.queue && { queue: crashingQueue(inbox.queue, passing) }),
  };
}

function crashingQueue(queue: InboxQueue, passing: (point: CrashPoint) => void): InboxQueue {
  return {
    ...queue,
    async store(request) {
      passing("before the store");
      const stored = await queue.store(request);
      passing("after the store");
      return stored;
    },
    async take(request) {
      passing("before the take");
      const taken = await queue.take(request);
      if (taken.length > 0) passing("after the take");
      return taken;
    },
  };
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> => "begin" in inbox;
