import { createReceiver, eventList } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { reference } from "@countersign/receiver/providers";
import { expect, it } from "vitest";
import { sqliteInTest } from "../../packages/receiver/test/inboxes/in-test.ts";
import { listen } from "../../packages/service/test/sandbox/listen.ts";
import { openSandbox, SECRET } from "../../packages/service/test/sandbox/open-sandbox.ts";

it("a receiver that was down for an hour of sandbox time has every effect once after reconciliation", async () => {
  const effects: string[] = [];
  const outcomes: string[] = [];
  const receiver = createReceiver({
    provider: reference,
    secrets: [SECRET],
    fallback: ({ id }) => void effects.push(id),
    inbox: sqliteInTest(),
    log: false,
    onOutcome: ({ kind }) => outcomes.push(kind),
  });
  const handle = toNode(receiver);
  let isDown = false;
  const url = await listen((request, response) => {
    if (isDown) request.socket.destroy();
    else void handle(request, response);
  });
  const sandbox = await openSandbox();
  const since = Date.now() - 7_200_000;
  const token = await sandbox.addNamespace(new Date(since).toISOString());
  await sandbox.subscribe(url, token);
  await sandbox.emit("customer.created", token);
  await sandbox.move({ advance: "PT1M" }, token);
  isDown = true;
  for (let number = 0; number < 5; number += 1) await sandbox.emit("customer.created", token);
  await sandbox.move({ advance: "PT1H" }, token);
  isDown = false;
  expect(effects).toHaveLength(1);

  const list = eventList(reference, { token, url: `${sandbox.sandbox.url}/v1/events` });
  const wait = async (): Promise<void> => undefined;
  const counts = await receiver.reconcile(list, { since, feed: true, wait });
  // The sandbox tries its deliveries again.
  await sandbox.move({ advance: "P5D" }, token);

  expect(counts).toMatchObject({ listed: 6, handled: 1, neverArrived: 5 });
  expect(new Set(effects).size).toBe(6);
  expect(effects).toHaveLength(6);
  expect(outcomes.filter((kind) => kind === "duplicate")).toHaveLength(5);
});
