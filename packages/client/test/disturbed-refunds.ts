import { createClient, type RefundAnswer } from "@countersign/client";
import { openSandbox, TOKEN, usd, type Body } from "../../sandbox/test/open-sandbox.ts";
import { openFaultProxy, type Fault } from "./fault-proxy.ts";
import { refundsOf } from "./fixtures.ts";
import { TestTime } from "./test-time.ts";

export interface Asked {
  readonly requestKey: string;
  readonly answer: RefundAnswer | undefined;
  readonly error: unknown;
  /** The refunds that have the key once nothing is in flight. */
  readonly made: readonly Body[];
}

export interface DisturbedRefunds {
  /** Asks for one refund while the faults happen to its attempts, one each. */
  ask(
    happening: readonly Fault[],
    options?: { readonly attempts?: number; readonly requestKey?: string },
  ): Promise<Asked>;
  close(): Promise<void>;
}

/** A sandbox behind a proxy with faults; up to a thousand refunds of one payment. */
export async function openDisturbedRefunds(): Promise<DisturbedRefunds> {
  const ends: (() => void | Promise<void>)[] = [];
  const one = await openSandbox({}, (end) => ends.push(end));
  const proxy = await openFaultProxy(one.sandbox.port);
  const payment = { customerId: one.seeded.customers.active, amount: usd(90_000_000) };
  const paymentId = String((await one.post("/sandbox/payments", payment)).body["paymentId"]);
  await one.post(`/sandbox/payments/${paymentId}/settle`);
  let keys = 0;
  return {
    ask: async (happening, { attempts = 5, requestKey = `key-${(keys += 1)}` } = {}) => {
      const time = new TestTime();
      const { now, sleep } = time;
      const defaults = { baseUrl: proxy.url, token: TOKEN, now, sleep, random: () => 0.5 };
      const client = createClient({ ...defaults, retry: { attempts } });
      proxy.put(happening, () => time.elapse(time.attemptMs));
      const clientReferenceId = `for ${requestKey}`;
      const settled = await client
        .refund({ paymentId, amount: 1n, requestKey, clientReferenceId })
        .then(
          (answer) => ({ answer, error: undefined }),
          (error: unknown) => ({ answer: undefined, error }),
        );
      await client.close();
      await proxy.settled();
      if (time.pending > 0) throw new Error("a timeout has outlived its call");
      return { ...settled, requestKey, made: await refundsOf(one, requestKey) };
    },
    close: async () => {
      await proxy.close();
      for (const end of ends.toReversed()) await end();
    },
  };
}
