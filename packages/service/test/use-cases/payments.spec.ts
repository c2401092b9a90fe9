import { describe, expect, it } from "vitest";
import { eventsOf as events } from "../everything.ts";
import { openService } from "../open-service.ts";
import {
  authorizePayment,
  coverPayment,
  failPayment,
  settlePayment,
} from "../../src/use-cases/payments.ts";

const moves = {
  authorize: authorizePayment,
  settle: settlePayment,
  fail: failPayment,
  cancel: ((context, merchant, { paymentId }) =>
    failPayment(context, merchant, { paymentId, status: "CANCELED" })) satisfies typeof failPayment,
};
type Move = keyof typeof moves;
const names = Object.keys(moves) as Move[];

describe("a payment (S 3.1)", () => {
  it.each<[status: string, path: Move[], open: Move[]]>([
    ["CREATED", [], ["authorize", "settle", "fail", "cancel"]],
    ["AUTHORIZED", ["authorize"], ["settle", "fail", "cancel"]],
    ["SUCCEEDED", ["settle"], ["fail"]],
    ["TERMINAL_FAILED", ["settle", "fail"], []],
    ["CANCELED", ["cancel"], []],
  ])(
    "that is %s after %j makes the moves %j once, repeats its last one without an event, and refuses the others",
    async (status, path, open) => {
      const opened = await openService();
      const { context, merchant } = opened;
      for (const name of names) {
        const payment = { paymentId: await opened.pay() };
        for (const step of path) await moves[step](context, merchant, payment);
        const before = await events(opened);
        const outcome = await moves[name](context, merchant, payment);
        const written = (await events(opened)).length - before.length;
        const repeated = { ok: true, payment: { status } };
        const refused = { ok: false, code: "INVALID_TRANSITION" };
        if (open.includes(name)) expect([name, outcome.ok, written]).toEqual([name, true, 1]);
        else
          expect([name, outcome, written]).toMatchObject([
            name,
            name === path.at(-1) ? repeated : refused,
            0,
          ]);
      }
    },
  );

  it("takes its waiting refund with it when it fails, is canceled or covered, or settled long ago", async () => {
    const { context, merchant, pay, refund, rows, clock } = await openService();
    const createdAt = clock.now();
    const all = { ...moves, cover: coverPayment };
    const ids = new Map<string, string>();
    for (const name of ["fail", "cancel", "cover", "settle"]) ids.set(name, await pay());
    for (const [name, id] of ids) await refund(id, { requestKey: name });
    clock.advance(30 * 86_400_000);
    for (const name of ["fail", "cancel", "cover"] as const)
      await all[name](context, merchant, { paymentId: ids.get(name) ?? "" });
    const paymentId = ids.get("settle") ?? "";
    await settlePayment(context, merchant, { paymentId, settledAt: createdAt });
    const refunds = "SELECT request_key AS key, status FROM payments WHERE direction = 'CREDIT'";
    const statuses = (await rows(refunds)).map(({ key, status }) => [key, status]);
    const failed = "TERMINAL_FAILED";
    const expected = { fail: failed, cancel: failed, cover: failed, settle: "AUTHORIZED" };
    expect(Object.fromEntries(statuses)).toEqual(expected);
  });

  it("settles at a time from its creation until now; after a step back of real time, at its creation", async () => {
    const { context, pay, merchant, clock } = await openService();
    const createdAt = clock.now();
    const payment = { paymentId: await pay() };
    clock.advance(5000);
    const [from, to] = [createdAt, createdAt + 5000];
    for (const settledAt of [from - 1, to + 1])
      expect(await settlePayment(context, merchant, { ...payment, settledAt })).toEqual({
        ok: false,
        code: "SETTLED_AT_OUT_OF_RANGE",
        from,
        to,
      });
    clock.advance(-10_000);
    const outcome = await settlePayment(context, merchant, payment);
    expect(outcome).toMatchObject({ ok: true, payment: { settledAt: createdAt } });
  });
});
