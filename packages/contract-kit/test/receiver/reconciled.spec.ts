import { createServer } from "node:http";
import { createReceiver, eventList, type Receiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { reference } from "@countersign/receiver/providers";
import { expect, it, onTestFinished } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { receiverTarget } from "../../src/harness/receiver-target.ts";
import { run } from "../../src/run.ts";
import { listen } from "../listen.ts";
import { sqliteInTest } from "../../../receiver/test/inboxes/in-test.ts";
import { makeEffects } from "./make-effects.ts";
import { secrets } from "./open-receiver.ts";

type Effects = ReturnType<typeof makeEffects>;
type Reconcile = (listUrl: string, receiver: Receiver, effects: Effects) => Promise<unknown>;

const feed: Reconcile = (url, receiver) =>
  receiver.reconcile(eventList(reference, { token: "a-token", url }), {
    since: Date.now() - 7_200_000,
    feed: true,
    wait: async () => undefined,
  });

/** Runs the check with a receiver that is reconciled in a way, and returns what the run reports. */
async function check(reconcile: Reconcile): Promise<readonly string[]> {
  const effects = makeEffects({ handlerMs: 1 });
  const own = secrets["standard"] ?? [];
  const receiver = createReceiver({
    provider: reference,
    secrets: own,
    fallback: (event) => effects.handle(event),
    inbox: sqliteInTest(),
    log: false,
  });
  const handle = toNode(receiver);
  const server = createServer((request, response) => {
    void (request.url === "/effects"
      ? effects.answer(request, response)
      : handle(request, response));
  });
  const { origin, close } = await listen(server);
  onTestFinished(close);
  const target = receiverTarget({
    url: `${origin}/webhooks`,
    secrets: own,
    provider: reference,
    nonce: "a-test",
    effects: `${origin}/effects`,
    reconcile: async (url) => void (await reconcile(url, receiver, effects)),
  });
  const { findings } = await run({
    target,
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only: ["receiver/reconciled"],
  });
  return findings.map(({ status, message }) => `${status} ${message}`.trim());
}

it("passes a receiver that handles what a list has and its inbox has not", async () => {
  expect(await check(feed)).toEqual(["pass"]);
});

it("fails a receiver that stays without the events that never arrived", async () => {
  const [verdict] = await check(async () => undefined);
  expect(verdict).toMatch(
    /^fail .*: never arrived, and after reconciliation its handler has run 0 times/,
  );
});

it("fails a receiver that handles listed events without recording them", async () => {
  const byHand: Reconcile = async (url, _receiver, effects) => {
    const { events } = (await (await fetch(url)).json()) as {
      events: Parameters<Effects["handle"]>[0][];
    };
    for (const event of events.slice(1)) await effects.handle(event);
  };
  const [verdict] = await check(byHand);
  expect(verdict).toMatch(/^fail .*: delivered and reconciled, and its handler has run 2 times/);
});
