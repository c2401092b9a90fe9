import { expect, it } from "vitest";
import { genuine, recordingReceiver } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

it("onOutcome gets a stored event twice: when it is stored and when a worker has handled it", async () => {
  const heard: unknown[] = [];
  const settled = Promise.withResolvers<void>();
  const { receiver } = recordingReceiver({
    inbox: sqliteInTest(),
    acknowledge: "after-store",
    onOutcome: ({ kind }, { secretIndex, worker, durationMs }) => {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      heard.push({ kind, secretIndex, worker });
      if (worker !== undefined) settled.resolve();
    },
  });
  receiver.start();
  await receiver.receive(genuine);
  await settled.promise;
  await receiver.stop();
  expect(heard).toEqual([
    { kind: "stored", secretIndex: 0 },
    { kind: "handled", worker: { attempts: 1, dead: false } },
  ]);
});
