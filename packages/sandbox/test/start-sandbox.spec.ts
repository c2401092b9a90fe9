import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startSandbox } from "@countersign/sandbox";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openReceiver } from "../../service/test/sandbox/open-sandbox.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("startSandbox", () => {
  it("starts with sample customers and payments on a free port, and ends with await using", async () => {
    let url = "";
    {
      await using sandbox = await startSandbox();
      ({ url } = sandbox);
      const { active } = sandbox.customers;
      expect(await sandbox.call("GET", `/v1/customers/${active}`)).toMatchObject({ id: active });
    }
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("delivers signed events to deliverTo, those of later days when its clock moves", async () => {
    const receiver = await openReceiver();
    const types = () => receiver.arrived.map(({ type }) => type);
    await using sandbox = await startSandbox({ deliverTo: { url: receiver.url, secret: SECRET } });
    const paymentId = sandbox.payments.recent;
    const amount = { currency: "USD", value: 10.5 };
    await sandbox.call("POST", "/v1/refunds", { paymentId, amount, requestKey: "refund-1" });
    await expect.poll(types).toEqual(["refund.pending"]);
    await sandbox.call("PUT", "/sandbox/clock", { advance: "P7D" });
    await expect.poll(types).toEqual(["refund.pending", "refund.authorized"]);
  });

  it("rejects an unknown profile, and an address that the profile does not allow", async () => {
    // @ts-expect-error a JavaScript caller
    await expect(startSandbox({ profile: "none" })).rejects.toThrow(
      'unknown profile "none"; expected one of standard, x-signature',
    );
    const deliverTo = { url: "ftp://127.0.0.1/", secret: SECRET };
    await expect(startSandbox({ deliverTo })).rejects.toThrow('invalid "deliverTo": INVALID_URL');
  });
});

it("the README has code that starts a sandbox, makes a refund and moves the clock", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = fileURLToPath(new URL("output/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}readme.ts`, code);
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  await import(pathToFileURL(`${folder}readme.ts`).href);
  expect(log.mock.lastCall?.[0]).toMatchObject({ paymentStatus: "PENDING" });
});
