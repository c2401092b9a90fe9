import { randomBytes } from "node:crypto";
import express, { type Express } from "express";
import type { Driver } from "../../src/store/driver.ts";

interface Body {
  readonly paymentId: string;
  readonly amount: { readonly value: number };
  readonly requestKey: string;
}

const newId = (prefix: string): string => `${prefix}_${randomBytes(15).toString("base64url")}`;

/**
 * Express that makes a refund by the same statements in the same kind of transaction, and does nothing
 * else: no token, no check of a member, no rules, no schema, no problem documents.
 */
export function bareRefunds(driver: Driver, merchantId: string): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(express.json());
  app.post("/v1/refunds", async (request, response) => {
    // The benchmark's own calls are of this form.
    const { paymentId, amount, requestKey } = request.body as Body;
    const id = newId("ref");
    const cents = Math.round(amount.value * 100);
    const now = Date.now();
    const isMade = await driver.transaction(async (tx) => {
      const taken = await tx.query(
        "SELECT id FROM payments WHERE merchant_id = $1 AND request_key = $2",
        [merchantId, requestKey],
      );
      if (taken.length > 0) return false;
      const [original] = await tx.query<{ customer: string }>(
        `SELECT customer_id AS customer FROM payments
          WHERE merchant_id = $1 AND id = $2 FOR UPDATE`,
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
      const eventId = newId("evt");
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
      for (const { key } of open) {
        await tx.query(
          `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state,
              next_at, created_at) VALUES ($1, $2, $3, $4, 'live', 'waiting', $5, $5)`,
          [newId("dlv"), eventId, key, merchantId, now],
        );
      }
      return true;
    });
    response.status(isMade ? 201 : 409).json({ paymentId: id, paymentStatus: "AUTHORIZED" });
  });
  return app;
}
