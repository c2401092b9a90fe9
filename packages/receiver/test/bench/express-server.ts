import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import express, { type Express } from "express";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { secret } from "../fixtures.ts";
import { type Kind, TEXT_SECRET } from "./kinds.ts";

// A server of its own for each kind, which tells what it took of the processor.

const app = express();
const kind = process.argv[2] as Kind;
mount(app, kind);
const server = app.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("message", () => {
  process.send?.(process.cpuUsage());
});

function mount(to: Express, what: Kind): void {
  switch (what) {
    case "bare":
      to.post("/webhooks", (_request, response) => void response.status(204).end());
      return;
    case "hand-written":
      handWritten(to);
      return;
    case "countersign": {
      const inbox = memoryInbox();
      const receiver = createReceiver({ secrets: [secret], fallback: () => undefined, inbox });
      to.post("/webhooks", toExpress(receiver.on("PAYMENT", () => undefined)));
      return;
    }
    case "octokit": {
      const webhooks = new Webhooks({ secret: TEXT_SECRET });
      webhooks.on("push", () => undefined);
      to.use(createNodeMiddleware(webhooks, { path: "/webhooks" }));
      return;
    }
    case "standardwebhooks": {
      const webhook = new Webhook(secret);
      to.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
        // `express.raw` leaves bytes; Node's record holds no list for these three headers.
        webhook.verify(request.body as Buffer, request.headers as Record<string, string>);
        response.status(204).end();
      });
      return;
    }
    case "stripe":
      to.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
        const signature = request.get("stripe-signature") ?? "";
        Stripe.webhooks.constructEvent(request.body as Buffer, signature, TEXT_SECRET);
        response.status(204).end();
      });
      return;
    default:
      what satisfies never;
  }
}

/** What a careful merchant writes without a library: reads, takes an HMAC, compares, parses and validates. */
function handWritten(to: Express): void {
  const key = createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64"));
  const ajv = new Ajv2020({ strict: false });
  const folder = new URL("../../../../schemas/", import.meta.url);
  for (const name of ["resources", "events"])
    for (const file of readdirSync(new URL(`${name}/`, folder)).filter((one) =>
      one.endsWith(".schema.json"),
    ))
      ajv.addSchema(JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8")) as object);
  const id = "https://countersign.example/schemas/resources/refund.schema.json";
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error("the refund's schema is gone");

  to.post("/webhooks", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const signed = `${request.get("webhook-id") ?? ""}.${request.get("webhook-timestamp") ?? ""}.`;
      const digest = createHmac("sha256", key).update(signed).update(body).digest();
      const sent = Buffer.from((request.get("webhook-signature") ?? "").slice(3), "base64");
      const genuine = sent.length === digest.length && timingSafeEqual(sent, digest);
      if (!genuine) return void response.status(401).end();
      const event = JSON.parse(body.toString()) as { readonly data: unknown };
      return void response.status(validate(event.data) === true ? 204 : 422).end();
    });
  });
}
