import { setTimeout } from "node:timers/promises";
import express from "express";
import { createReceiver } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { type PostgresTransaction, postgresInbox } from "@countersign/receiver/postgres";
import { github, shopify, stripe } from "@countersign/receiver/providers";
import type { clients } from "../../../packages/receiver/test/inboxes/servers.ts";

/** The secrets of the endpoints; the older one is listed second during a rotation. */
export interface Secrets {
  readonly stripe: readonly string[];
  readonly stripeConnect: readonly string[];
  readonly github: readonly string[];
  readonly shopify: readonly string[];
}

/** The app of a shop with the webhooks of three providers, on one inbox. */
export async function shopApp(
  pool: Awaited<ReturnType<typeof clients.postgres>>,
  secrets: Secrets,
): Promise<express.Express> {
  const inbox = postgresInbox(pool, { schema: "shop" });
  await inbox.migrate();
  const options = { inbox, lease: 5000, limits: { answerMs: 4000 }, log: false } as const;
  const book = async (
    _: unknown,
    {
      event,
      transaction,
    }: { event: { provider: string; id: string }; transaction: PostgresTransaction },
  ): Promise<void> => {
    const text = "INSERT INTO booked (provider, id) VALUES ($1, $2)";
    await transaction.query(text, [event.provider, event.id]);
    await setTimeout(5);
  };

  const app = express();
  for (const [path, provider, own] of [
    ["stripe", stripe, secrets.stripe],
    ["stripe-connect", stripe, secrets.stripeConnect],
    ["github", github, secrets.github],
    ["shopify", shopify, secrets.shopify],
  ] as const) {
    const receiver = createReceiver({ ...options, provider, secrets: own, fallback: book });
    app.post(`/webhooks/${path}`, toExpress(receiver));
  }
  return app;
}
