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

  const stripeEvents = createReceiver({
    ...options,
    provider: stripe,
    secrets: secrets.stripe,
    fallback: book,
  });
  const connectEvents = createReceiver({
    ...options,
    provider: stripe,
    secrets: secrets.stripeConnect,
    fallback: book,
  });
  const githubEvents = createReceiver({
    ...options,
    provider: github,
    secrets: secrets.github,
    fallback: book,
  });
  const shopifyEvents = createReceiver({
    ...options,
    provider: shopify,
    secrets: secrets.shopify,
    fallback: book,
  });

  const app = express();
  app.post("/webhooks/stripe", toExpress(stripeEvents));
  app.post("/webhooks/stripe-connect", toExpress(connectEvents));
  app.post("/webhooks/github", toExpress(githubEvents));
  app.post("/webhooks/shopify", toExpress(shopifyEvents));
  return app;
}
