import { parentPort, workerData } from "node:worker_threads";
import { deliveryStore } from "../tables/delivery-queue.ts";
import { unavailable } from "./connection.ts";
import type { Completed, ThreadCall, ThreadData, ThreadReply } from "./delivery-thread.ts";
import { sqliteDriver } from "./driver.ts";

// The entry of `DeliveryThread`'s thread.

if (parentPort === null) throw new TypeError("must run in a worker thread");
const port = parentPort;
// The cast: `DeliveryThread` passes it.
const { file, ...options } = workerData as ThreadData;
const driver = sqliteDriver(file, options);
const store = deliveryStore(driver);

port.on("message", (call: ThreadCall | "close") => {
  void (call === "close" ? close() : answer(call));
});

async function close(): Promise<void> {
  await driver.close();
  port.close();
}

async function answer(call: ThreadCall): Promise<void> {
  let reply: ThreadReply;
  try {
    reply = { id: call.id, ok: true, value: await valueOf(call) };
  } catch (error) {
    const { message, outcome, fault } = unavailable(error);
    reply = { id: call.id, ok: false, message, outcome, fault };
  }
  port.postMessage(reply);
}

async function valueOf(call: ThreadCall): Promise<unknown> {
  switch (call.name) {
    case "read":
      return store.read(...call.args);
    case "complete": {
      const { completed, paused } = await store.complete(...call.args);
      const next = ({ attempt, state, nextAt }: (typeof completed)[0]): Completed => ({
        id: attempt.delivery.id,
        state,
        nextAt,
      });
      return { completed: completed.map(next), paused };
    }
    default:
      return call satisfies never;
  }
}
