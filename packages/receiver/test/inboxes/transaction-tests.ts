import type { Outcome, Receiver } from "@countersign/receiver";
import { expect, it, vi } from "vitest";
import { refundAttempt } from "../fixtures.ts";

/** A handler that may book ids in the inbox's transaction. */
export type Booking = (id: string, book: (id: string) => unknown) => unknown;

/** A merchant's table of events, written in the transaction of an empty inbox. */
export interface Ledger {
  readonly receiverOf: (handler: Booking) => Pick<Receiver, "receive">;
  /** The ids in the table, in order, as another connection reads them. */
  readonly booked: () => Promise<readonly unknown[]>;
  readonly clock: { now: number };
}

export const send = (receiver: Pick<Receiver, "receive">, id = "evt_1"): Promise<Outcome> =>
  receiver.receive(refundAttempt(id));

/** Promises of every inbox with transactions about a handler's writes. */
export function transactionTests(ledger: () => Ledger): void {
  it("[R-ONCE-TRANSACTION] are committed with the event's handling, and invisible before", async () => {
    const { receiverOf, booked } = ledger();
    let seen: readonly unknown[] = ["not read"];
    const receiver = receiverOf(async (id, book) => {
      await book(id);
      seen = await booked();
    });
    expect((await send(receiver)).kind).toBe("handled");
    expect((await send(receiver)).kind).toBe("duplicate");
    expect([seen, await booked()]).toEqual([[], ["evt_1"]]);
  });

  it("are undone when the handler fails, which frees the event", async () => {
    const { receiverOf, booked } = ledger();
    let fails = true;
    const receiver = receiverOf(async (id, book) => {
      await book(id);
      if (fails) throw new Error("no");
    });
    expect(await send(receiver)).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED" });
    expect(await booked()).toEqual([]);
    fails = false;
    expect((await send(receiver)).kind).toBe("handled");
    expect(await booked()).toEqual(["evt_1"]);
  });

  it("[R-ONCE-FENCED] are not written by a handler that lost its claim", async () => {
    const { receiverOf, booked, clock } = ledger();
    const gate = Promise.withResolvers<void>();
    const handler = vi.fn<Booking>(async (id, book) => {
      const isFirst = handler.mock.calls.length === 1;
      await book(isFirst ? `${id} too late` : id);
      if (isFirst) await gate.promise;
    });
    const slow = send(receiverOf(handler));
    await vi.waitUntil(() => handler.mock.calls.length === 1);
    clock.now += 60_000;
    expect((await send(receiverOf(handler))).kind).toBe("handled");
    gate.resolve();
    expect(await slow).toMatchObject({ kind: "failed", code: "CS_CLAIM_LOST" });
    expect(await booked()).toEqual(["evt_1"]);
  });
}
