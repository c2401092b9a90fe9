import { createClient, type RefundAnswer } from "@countersign/client";
import { openFaultProxy, type Fault } from "./fault-proxy.ts";
import { openSandbox, TOKEN, type Body } from "./open-sandbox.ts";
import { TestTime } from "./test-time.ts";

export interface Asked {
  readonly requestKey: string;
  readonly answer: RefundAnswer | undefined;
  readonly error: unknown;
  /** The refunds that have the key when nothing is under way any longer. */
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

/** A sandbox behind a proxy that disturbs; up to a thousand refunds of one payment. */
export async function openDisturbedRefunds(): Promise<DisturbedRefunds> {
  const one = await openSandbox();
  const proxy = await openFaultProxy(one.port);
  const paymentId = await one.settledPayment(90_000_000);
  let keys = 0;
  return {
    ask: async (happening, { attempts = 5, requestKey = `key-${(keys += 1)}` } = {}) => {
      const time = new TestTime();
      const client = createClient({
        baseUrl: proxy.url,
        token: TOKEN,
        now: time.now,
        sleep: time.sleep,
        random: () => 0.5,
        retry: { attempts },
      });
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
      if (time.pending > 0) throw new Error("a deadline has outlived its call");
      return { ...settled, requestKey, made: await one.refundsOf(requestKey) };
    },
    close: async () => {
      await proxy.close();
      await one.close();
    },
  };
}
