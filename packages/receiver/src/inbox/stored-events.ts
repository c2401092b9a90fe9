import type { DeadEvent, EventKey, InboxQueue } from "./inbox.ts";
import { Worker, type WorkerHost, type WorkerSettings } from "./worker.ts";

/** What a receiver does with the events that its inbox keeps for workers. */
export interface StoredEvents {
  onStored(): void;
  start(): void;
  stop(): Promise<void>;
  dead(options?: { readonly limit?: number }): Promise<readonly DeadEvent[]>;
  retry(id: string | EventKey): Promise<boolean>;
}

/** @param host Without `settings` the receiver acknowledges after its handlers and has no worker. */
export function createStoredEvents({
  parts,
  settings,
  report,
}: Pick<WorkerHost, "parts" | "report"> & {
  readonly settings: WorkerSettings | undefined;
}): StoredEvents {
  const worker =
    parts.queue && settings && new Worker({ parts, queue: parts.queue, settings, report });
  let warned = false;

  const queueFor = (method: string): InboxQueue => {
    const { queue } = parts.inbox;
    if (queue === undefined)
      throw new TypeError(`receiver.${method}(): the inbox keeps no events for workers`);
    return queue;
  };

  return {
    onStored() {
      worker?.wake();
      if (worker?.wasStarted !== false || warned) return;
      warned = true;
      process.emitWarning(
        "an event is stored and no worker of this process handles it: call receiver.start() " +
          "here, or in the process whose receiver shares this inbox",
        { code: "CS_WORKER_NOT_STARTED" },
      );
    },
    start() {
      if (worker === undefined)
        throw new TypeError('receiver.start(): workers need acknowledge "after-store"');
      worker.start();
    },
    stop: () => worker?.stop() ?? Promise.resolve(),
    async dead({ limit = 100 } = {}) {
      return queueFor("dead").dead({ limit });
    },
    async retry(id) {
      const key = typeof id === "string" ? { tenant: "", id } : id;
      const retried = await queueFor("retry").retry({ key, now: parts.now() });
      worker?.wake();
      return retried;
    },
  };
}
