// The webhooks of Stripe, GitHub and Slack in one Express app, on one PostgreSQL inbox.
import { createReceiver, type EventsOf } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { stopServer } from "@countersign/receiver/node";
import { postgresInbox } from "@countersign/receiver/postgres";
import { github, slack, stripe } from "@countersign/receiver/providers";
import express from "express";
import pg from "pg";
import type Stripe from "stripe";

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
await pool.query("CREATE TABLE IF NOT EXISTS tasks (what text, subject text)");
const inbox = postgresInbox(pool, { schema: "webhooks" });
await inbox.migrate();

const ADD = "INSERT INTO tasks (what, subject) VALUES ($1, $2)";
const fallback = ({ type }: { readonly type: string }): void => console.log("no handler for", type);

// Stripe sends an event again until it is handled. The transaction also marks it as handled.
const payments = createReceiver<EventsOf<Stripe.Event>, typeof inbox>({
  provider: stripe,
  secrets: [process.env["STRIPE_WEBHOOK_SECRET"]],
  inbox,
  fallback,
}).on("checkout.session.completed", async ({ data }, { transaction }) => {
  await transaction.query(ADD, ["ship", data.object.id]);
});

// GitHub sends an event once, and Slack waits for three seconds: store first, then workers run the handlers.
const code = createReceiver({
  provider: github,
  secrets: [process.env["GITHUB_WEBHOOK_SECRET"]],
  inbox,
  acknowledge: "after-store",
  fallback,
}).on("pull_request.opened", async (event, { transaction }) => {
  await transaction.query(ADD, ["review", String(event["number"])]);
});
const chat = createReceiver({
  provider: slack,
  secrets: [process.env["SLACK_SIGNING_SECRET"]],
  inbox,
  acknowledge: "after-store",
  fallback,
}).on("/deploy", async (command, { transaction }) => {
  await transaction.query(ADD, ["deploy", command["text"]]);
});
code.start();
chat.start();

const server = express()
  .post("/webhooks/stripe", toExpress(payments))
  .post("/webhooks/github", toExpress(code))
  .post("/webhooks/slack", toExpress(chat))
  .listen(process.env["PORT"] ?? 3000, () => console.log("ready"));

async function stop(): Promise<void> {
  await stopServer(server, payments);
  await Promise.all([code.close(), chat.close()]);
  await pool.end();
}
process.once("SIGTERM", () => void stop());
