// A server of one kind behind Express 5, in its own process: `node server.ts KIND [PORT OF POSTGRESQL]`.
// It sends its port when it listens, and its CPU time when it is asked.
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";
import { createReceiver, type Inbox, verifyEvent } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { postgresInbox } from "@countersign/receiver/postgres";
import { github, reference, standardWebhooks, stripe } from "@countersign/receiver/providers";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";
import express, { type RequestHandler } from "express";
import { Pool } from "pg";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { secret } from "../fixtures.ts";
import { type Kind, TEXT_SECRET } from "./kinds.ts";

/** The size of the pool that the inbox and the hand-written handler each have. */
const CONNECTIONS = 16;
const ROWS = "rows (id text NOT NULL PRIMARY KEY, state text NOT NULL)";
const INSERT = "INSERT INTO rows (id, state) VALUES ($1, 'claimed') ON CONFLICT DO NOTHING";
const UPDATE = "UPDATE rows SET state = 'handled' WHERE id = $1";

const [, , kind, postgresPort] = process.argv as unknown as [string, string, Kind, string];
const home = mkdtempSync(join(tmpdir(), "countersign-bench-"));
const file = join(home, "inbox.db");
const pool = new Pool({
  host: "127.0.0.1",
  port: Number(postgresPort),
  user: "postgres",
  max: CONNECTIONS,
});

const app = express();
app.post("/webhooks", ...(await handlersOf(kind)));
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("message", () => process.send?.(process.cpuUsage()));
// So that a profile of `NODE_OPTIONS=--cpu-prof` is written.
process.once("disconnect", () => process.exit());
process.once("exit", () => rmSync(home, { recursive: true, force: true }));

async function handlersOf(what: Kind): Promise<RequestHandler[]> {
  switch (what) {
    case "Express":
      return verified(() => undefined);
    case "octokit": {
      const webhooks = new Webhooks({ secret: TEXT_SECRET });
      webhooks.on("pull_request.opened", () => undefined);
      const middleware = createNodeMiddleware(webhooks, { path: "/webhooks" });
      return [(request, response) => void middleware(request, response)];
    }
    case "stripe":
      return verified(({ body, headers }) =>
        Stripe.webhooks.constructEvent(body, headers["stripe-signature"] ?? "", TEXT_SECRET),
      );
    case "standardwebhooks": {
      const webhook = new Webhook(secret);
      return verified(({ body, headers }) => webhook.verify(body, headers));
    }
    case "verifyEvent": {
      const options = { provider: standardWebhooks, secrets: [secret] };
      return verified((attempt) => {
        if (!verifyEvent(attempt, options).ok) throw new Error("refused");
      });
    }
    case "receiver, github": {
      const options = { provider: github, secrets: [TEXT_SECRET], fallback: () => undefined };
      return [toExpress(createReceiver(options).on("pull_request.opened", () => undefined))];
    }
    case "receiver, stripe": {
      const options = { provider: stripe, secrets: [TEXT_SECRET], fallback: () => undefined };
      return [toExpress(createReceiver(options).on("payment_intent.succeeded", () => undefined))];
    }
    case "receiver, standard-webhooks": {
      const options = { provider: standardWebhooks, secrets: [secret], fallback: () => undefined };
      return [toExpress(createReceiver(options).on("invoice.paid", () => undefined))];
    }
    case "receiver, SQLite":
      return [durable(sqliteInbox(file))];
    case "receiver, PostgreSQL": {
      const inbox = postgresInbox(pool, { schema: "bench" });
      await inbox.migrate();
      return [durable(inbox)];
    }
    case "hand-written, SQLite":
      return [handWritten(sqliteRecord())];
    case "hand-written, PostgreSQL":
      await pool.query(`CREATE TABLE ${ROWS}`);
      return [
        handWritten({
          insert: async (id) => (await pool.query(INSERT, [id])).rowCount === 1,
          update: (id) => pool.query(UPDATE, [id]),
        }),
      ];
    default:
      return what satisfies never;
  }
}

function durable(inbox: Inbox): RequestHandler {
  const options = { provider: reference, secrets: [secret], fallback: () => undefined, inbox };
  return toExpress(createReceiver(options).on("PAYMENT", () => undefined));
}

/** Reads the body with Express's parser, verifies it and answers. */
function verified(
  verify: (attempt: { body: Buffer; headers: Record<string, string> }) => unknown,
): RequestHandler[] {
  return [
    express.raw({ type: "*/*" }),
    ({ body, headers }, response) => {
      // `express.raw` leaves bytes; Node joins the lists of all other headers than Set-Cookie.
      verify({ body: body as Buffer, headers: headers as Record<string, string> });
      response.status(204).end();
    },
  ];
}

/** A handler's durable record of its work. */
interface EventRecord {
  /** True if the event is new. */
  insert(id: string): Promise<boolean> | boolean;
  update(id: string): unknown;
}

function sqliteRecord(): EventRecord {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE ${ROWS}`);
  const insert = database.prepare(INSERT.replace("$1", "?"));
  const update = database.prepare(UPDATE.replace("$1", "?"));
  return { insert: (id) => insert.run(id).changes === 1, update: (id) => update.run(id) };
}

/** The handler of a careful merchant without a library: verifies, parses, validates and records. */
function handWritten(record: EventRecord): RequestHandler {
  const key = createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64"));
  const validate = refundValidator();
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    const answer = async (): Promise<void> => {
      const body = Buffer.concat(chunks);
      const id = request.get("webhook-id") ?? "";
      const signed = `${id}.${request.get("webhook-timestamp") ?? ""}.`;
      const digest = createHmac("sha256", key).update(signed).update(body).digest();
      const sent = Buffer.from((request.get("webhook-signature") ?? "").slice(3), "base64");
      const isGenuine = sent.length === digest.length && timingSafeEqual(sent, digest);
      if (!isGenuine) return void response.status(401).end();
      const event = JSON.parse(body.toString()) as { readonly data: unknown };
      if (!validate(event.data)) return void response.status(422).end();
      if (await record.insert(id)) {
        // The handler itself does nothing, as Countersign's.
        await record.update(id);
      }
      response.status(204).end();
    };
    request.on("end", () => void answer());
  };
}

function refundValidator(): (data: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false });
  const schemas = new URL("../../../../schemas/", import.meta.url);
  for (const folder of ["resources/", "events/"])
    for (const name of readdirSync(new URL(folder, schemas)))
      ajv.addSchema(JSON.parse(readFileSync(new URL(folder + name, schemas), "utf8")) as object);
  const id = "https://countersign.example/schemas/resources/refund.schema.json";
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`schema ${id} not found`);
  return (data) => validate(data) === true;
}
