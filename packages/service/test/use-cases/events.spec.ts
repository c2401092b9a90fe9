import { validateEvent } from "@countersign/schemas/writers";
import { describe, expect, it } from "vitest";
import { eventsOf as events, everything } from "../everything.ts";
import { openService } from "../open-service.ts";
import { askRefund } from "../../src/use-cases/ask-refund.ts";
import { importRecords } from "../../src/use-cases/import-records.ts";
import { authenticateClient } from "../../src/use-cases/tokens.ts";

describe("the events of a merchant", () => {
  it("[P-EVENT-EACH-STATE] [P-EVENT-SCHEMA] T-06 T-25 T-26 are written once for every state that is entered, and fit their schemas", async () => {
    const open = await openService();
    await everything(open);
    const counts: Record<string, number> = {};
    for (const { id, type, category, payload, at } of await events(open)) {
      counts[type] = (counts[type] ?? 0) + 1;
      const event: unknown = JSON.parse(payload);
      const validation = validateEvent(event);
      expect([type, validation.ok ? [] : validation.errors]).toEqual([type, []]);
      expect(event).toMatchObject({ id, type, category, timestamp: new Date(at).toISOString() });
      expect(id).toMatch(/^evt_[A-Za-z0-9_-]{22}$/);
      // JSON's shortest form would be 100.
      if (type.startsWith("payment.")) expect(payload).toContain('"value":100.00}');
    }
    expect(counts).toEqual({
      "customer.created": 8,
      "customer.activated": 2,
      "customer.deactivated": 1,
      "account.linked": 9,
      "account.updated": 1,
      "account.deactivated": 1,
      "payment.created": 7,
      "payment.authorized": 1,
      "payment.succeeded": 3,
      "payment.failed": 2,
      "payment.canceled": 1,
      "refund.pending": 3,
      "refund.authorized": 2,
      "refund.failed": 4,
    });
  });

  it("are reported to the delivery engine after COMMIT, and not when nothing was written", async () => {
    const seen: Promise<number>[] = [];
    const open = await openService({
      onWork: () => void seen.push(events(open).then(({ length }) => length)),
    });
    const paymentId = await open.pay();
    const order = { paymentId, amountCents: 1n, clientReferenceId: null, softDescriptor: null };
    for (let i = 0; i < 2; i++)
      await askRefund(open.context, open.merchant, { ...order, requestKey: "k" });
    expect(await Promise.all(seen)).toEqual([1, 2, 3, 4]);
  });
});

it("a client's old secret works until the overlap of its rotation ends, to the millisecond", async () => {
  const { context, clock, merchant, subscribe } = await openService();
  const { clientId } = merchant;
  const isTaken = async (secret: string): Promise<boolean> =>
    (await authenticateClient(context, { clientId, clientSecret: secret })) !== undefined;
  const order = { kind: "client", merchantId: merchant.id, id: clientId } as const;
  const record = { ...order, secretVersion: 2, overlapHours: 1 };
  const rotated = await importRecords(context, [{ line: 1, record }], { isDryRun: false });
  const clientSecret = rotated.ok ? (rotated.clients[0]?.clientSecret ?? "") : "";
  clock.advance(3_599_999);
  expect([await isTaken(merchant.clientSecret), await isTaken("")]).toEqual([true, false]);
  // Neither may sign deliveries: the merchant's receiver must not have them.
  for (const secretKey of [merchant.clientSecret, clientSecret])
    expect((await subscribe({ secretKey })).status).toBe(400);
  clock.advance(1);
  expect(await isTaken(merchant.clientSecret)).toBe(false);
  expect(await isTaken(clientSecret)).toBe(true);
});
