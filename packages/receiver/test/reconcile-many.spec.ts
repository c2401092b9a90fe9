import { stripe } from "@countersign/receiver/providers";
import { expect, it } from "vitest";
import { receiverOf } from "./any-provider.ts";
import { NOON } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { listOf, stripeEvent, stripePages } from "./reconcile-list.ts";
import { many, recordMany } from "./reconcile-many.ts";

it(
  "finds 37 missing, 5 dead and 3 foreign of 100,000 events of Stripe, and feeds the missing once",
  { tags: "ci", timeout: 600_000 },
  async () => {
    const inbox = sqliteInTest();
    const at = NOON - 1_800_000;
    await recordMany(inbox, many, {
      provider: "stripe",
      idOf: (number) => `evt_${String(number)}`,
      now: at,
    });
    const { receiver, seen } = receiverOf(stripe, { inbox });
    const events = Array.from({ length: many.count }, (_, number) => stripeEvent(number, { at }));
    const { list } = listOf(stripe, stripePages(events));
    const options = {
      since: NOON - 3_600_000,
      until: NOON,
      feed: true,
      wait: async () => undefined,
    };

    const first = await receiver.reconcile(list, options);
    const second = await receiver.reconcile(list, options);

    const found = {
      listed: 100_000,
      handled: 99_958,
      neverArrived: 37,
      unhandled: 0,
      dead: 5,
      onlyHere: 3,
    };
    expect(first).toMatchObject(found);
    expect(second).toMatchObject({ ...found, handled: 99_995, neverArrived: 0 });
    expect(seen.map(({ id }) => id).toSorted()).toEqual(
      [...many.missing].map((number) => `evt_${String(number)}`).toSorted(),
    );
  },
);
