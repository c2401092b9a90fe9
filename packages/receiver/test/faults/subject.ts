import { createReceiver, type Inbox, memoryInbox } from "@countersign/receiver";
import { readJson } from "@countersign/rules";
import { standardWebhooks } from "@countersign/signatures";
import { attemptOf, NOON, secret } from "../fixtures.ts";

export interface Happening {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
}

/** What is around a receiver: the merchant's handler, a log and a clock. */
export interface World {
  readonly handler: (event: Happening) => Promise<void>;
  readonly log: (line: string) => void;
  readonly now: () => number;
}

/** A receiver as its sender sees it: an attempt in, a status out. */
export interface Subject {
  readonly post: (attempt: ReturnType<typeof attemptOf>) => Promise<number>;
}

export type MakeSubject = (world: World) => Subject;

/** Ours, with another inbox where one is under test. */
export const oursWith =
  (inbox: () => Inbox): MakeSubject =>
  ({ handler, log, now }) => {
    const receiver = createReceiver({
      secrets: [secret],
      fallback: (event) => handler(event),
      inbox: inbox(),
      order: "per-resource",
      now,
      onOutcome: (outcome) => log("code" in outcome ? outcome.code : outcome.kind),
    });
    return { post: async (attempt) => (await receiver.answer(attempt)).response.status };
  };

export const ours: MakeSubject = oursWith(() => memoryInbox());

/** The honest steps of the flawed receivers: each of them leaves out or misplaces one. */
export const scheme = standardWebhooks();

export const isGenuine = (
  { headers, body }: ReturnType<typeof attemptOf>,
  { now }: { readonly now: number },
): boolean => scheme.verify({ headers, body }, [secret], { now }).ok;

export function eventOf(body: Uint8Array): Happening {
  const json = readJson(body);
  if (!json.ok) throw new Error(json.code);
  // The scenarios send whole events alone.
  return json.value as Happening;
}

/** A turn of the event loop: what a store takes at least. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A payment's event; its type tells the payment's state, its hour the order. */
export const paymentEvent = (
  state: "created" | "succeeded",
  { id = `evt_${state}`, hour = 5 }: { readonly id?: string; readonly hour?: number } = {},
): object => ({
  id,
  type: `payment.${state}`,
  category: "PAYMENT",
  timestamp: `2026-11-24T${String(hour).padStart(2, "0")}:00:00.000Z`,
  data: {
    paymentId: "pay_1",
    direction: "DEBIT",
    customerId: "cus_1",
    amount: { currency: "USD", value: 1 },
    paymentStatus: state === "created" ? "CREATED" : "SUCCEEDED",
    clientReferenceId: null,
    creationDate: "2026-11-24T05:00:00.000Z",
    covered: false,
  },
});

export { attemptOf, NOON, secret };
