import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal, type Body, type TestSandbox } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

async function attempted(one: TestSandbox, fault: Body): Promise<Body[]> {
  const faults = [{ route: "attempt", ...fault }];
  const answer = await one.call("PUT", "/sandbox/faults", { json: { faults } });
  expect(answer.status).toBe(200);
  await one.call("POST", "/sandbox/events", { json: { type: "customer.created" } });
  const attempts = async (): Promise<Body[]> =>
    (await one.list("/sandbox/deliveries")).flatMap((delivery) => delivery["attempts"] as Body[]);
  await expect.poll(attempts, SOON).toHaveLength(1);
  return attempts();
}

describe("a fault on attempts", () => {
  it.each([
    [{ kind: "status", status: 410 }, { status: 410, error: null, answer: "INJECTED_FAULT" }, 0],
    [{ kind: "status", status: 500 }, { status: 500, error: null }, 0],
    [{ kind: "reset" }, { status: null, error: "CS_ATTEMPT_CONNECTION_LOST" }, 0],
    [{ kind: "lost" }, { status: null, error: "CS_ATTEMPT_CONNECTION_LOST" }, 1],
    [{ kind: "delay", delayMs: 20 }, { status: 204, error: null }, 1],
    [{ kind: "delay", delayMs: 60 }, { status: null, error: "CS_ATTEMPT_TIMEOUT" }, 0, 60],
  ])("%j is recorded as %j, and the receiver gets %d", async (...given) => {
    const [fault, recorded, arrived, deadlineMs = 15_000] = given;
    const one = await openSandbox({ delivery: { deadlineMs } });
    const receiver = await openReceiver(204);
    await one.subscribe(receiver.url);
    expect(await attempted(one, fault)).toMatchObject([recorded]);
    expect(receiver.arrived).toHaveLength(arrived);
    expect(await one.list("/sandbox/faults")).toEqual([]);
  });

  it("happens in its own namespace alone", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(204);
    await one.subscribe(receiver.url);
    const token = await one.addNamespace();
    const json = { faults: [{ route: "attempt", kind: "reset" }] };
    await one.call("PUT", "/sandbox/faults", { json, token });
    await one.call("POST", "/sandbox/events", { json: { type: "customer.created" } });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
  });

  it("takes no other route's name", async () => {
    const one = await openSandbox();
    const json = { faults: [{ route: "attempts", kind: "reset" }] };
    const answer = await one.call("PUT", "/sandbox/faults", { json });
    expect(refusal(answer)).toMatchObject({ status: 400 });
  });
});
