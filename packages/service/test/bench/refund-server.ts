import { randomBytes } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import express, { type Express } from "express";
import { createService } from "../../src/create-service.ts";
import { listen } from "../../src/listen.ts";
import type { Driver } from "../../src/store/driver.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { testVault } from "../test-vault.ts";

// One server of the benchmark in its own process. It sends its parent the port, and its CPU time for
// each message.

const newId = (prefix: string): string => `${prefix}_${randomBytes(15).toString("base64url")}`;

/**
 * Express that makes a refund by the same statements in the same kind of transaction, and nothing else:
 * no token, validation, rules, schema or problem documents.
 */
function bareRefunds(driver: Driver, merchantId: string): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(express.json());
  app.post("/v1/refunds", async (request, response) => {
    // The benchmark's own requests have this form.
    const { paymentId, amount, requestKey } = request.body as {
      readonly paymentId: string;
      readonly amount: { readonly value: number };
      readonly requestKey: string;
    };
    const [id, eventId] = [newId("ref"), newId("evt")];
    const [cents, now] = [Math.round(amount.value * 100), Date.now()];
    await driver.transaction(async (tx) => {
      await tx.query("SELECT id FROM payments WHERE merchant_id = $1 AND request_key = $2", [
        merchantId,
        requestKey,
      ]);
      const [original] = await tx.query<{ customer: string }>(
        `SELECT customer_id AS customer FROM payments WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
        [merchantId, paymentId],
      );
      await tx.query(
        `UPDATE payments SET reserved_cents = reserved_cents + $3
          WHERE merchant_id = $1 AND id = $2 AND reserved_cents + $3 <= amount_cents RETURNING id`,
        [merchantId, paymentId, cents],
      );
      await tx.query(
        `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, original_id,
            amount_cents, status, request_key, created_at)
          VALUES ($1, $2, 'live', $3, 'CREDIT', $4, $5, 'AUTHORIZED', $6, $7)
          ON CONFLICT (merchant_id, request_key) DO NOTHING RETURNING id`,
        [id, merchantId, original?.customer ?? "", paymentId, cents, requestKey, now],
      );
      const data = { paymentId: id, paymentType: "CREDIT", paymentStatus: "AUTHORIZED", amount };
      const timestamp = new Date(now).toISOString();
      const type = "refund.authorized";
      const payload = JSON.stringify({ id: eventId, type, category: "PAYMENT", timestamp, data });
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
          VALUES ($1, $2, 'live', $3, 'PAYMENT', $4, $5)`,
        [eventId, merchantId, type, payload, now],
      );
      const open = await tx.query<{ key: string }>(
        "SELECT key, url, selection FROM subscriptions WHERE merchant_id = $1 AND status <> 'CLOSED'",
        [merchantId],
      );
      for (const { key } of open)
        await tx.query(
          `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state,
              next_at, created_at) VALUES ($1, $2, $3, $4, 'live', 'waiting', $5, $5)`,
          [newId("dlv"), eventId, key, merchantId, now],
        );
    });
    response.status(201).json({ paymentId: id, paymentStatus: "AUTHORIZED" });
  });
  return app;
}

const [kind, address = "", merchantId = ""] = process.argv.slice(2);
const driver = address.startsWith("postgres:")
  ? postgresDriver({ url: address })
  : sqliteDriver(address);
const { standard: profile } = profiles;
const app =
  kind === "bare"
    ? bareRefunds(driver, merchantId)
    : createService({ driver, profile, vault: testVault(), limitsRates: false }).app;
const { port } = await listen(app, { port: 0 });
process.on("message", () => process.send?.(process.cpuUsage()));
process.send?.(port);
