import { join } from "node:path";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { providersByName } from "@countersign/schemas/providers-by-name";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { serveHere, told } from "../../packages/cli/test/ran.ts";
import { listen } from "../../packages/service/test/sandbox/listen.ts";
import { temporaryFolder, type AtEnd } from "../temporary-folder.ts";

const stripe = providersByName.get("stripe") as ProviderDocument; // it is in the book
export const STRIPE_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A receiver of Stripe's webhooks behind `countersign listen`, with events that it accepts, refuses and fails on. */
export async function openListenScene(atEnd: AtEnd) {
  const arrived: string[] = [];
  const receive = toNode(
    createReceiver({
      provider: stripe,
      secrets: [STRIPE_SECRET],
      fallback: (event) => {
        if (event.type === "invoice.payment_failed") throw new TypeError("no ledger");
      },
      inbox: memoryInbox(),
      log: false,
    }),
  );
  const app = await listen((request, response) => {
    request.on("data", (chunk: Buffer) => arrived.push(chunk.toString()));
    void receive(request, response);
  }, atEnd);
  const database = join(temporaryFolder(atEnd), "listen.db");
  const args = ["listen", "--provider", "stripe", "--forward-to", `${app}/webhooks/stripe`];
  const served = await serveHere(
    [...args, "--port", "0", "--database", database],
    { COUNTERSIGN_SECRET: STRIPE_SECRET },
    atEnd,
  );
  const post = async (
    type: string,
    { secret = STRIPE_SECRET, ageSeconds = 0, id = `evt_${type}` } = {},
  ): Promise<void> => {
    const created = Math.floor(Date.now() / 1000) - ageSeconds;
    const object = { id: "cs_1", amount: 1050, currency: "eur", customer_email: "zoe@example.com" };
    const body = JSON.stringify({
      id,
      object: "event",
      type,
      created,
      livemode: false,
      data: { object },
    });
    const message = { timestamp: created, body: Buffer.from(body) };
    const { headers } = schemeOf(stripe).sign(message, [secret]);
    await fetch(served.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  };
  await post("customer.created");
  await post("invoice.paid");
  await post("invoice.payment_failed");
  for (const id of ["evt_a", "evt_b", "evt_c"])
    await post("charge.refunded", { id, secret: "whsec_a-secret-of-another-endpoint" });
  await post("checkout.session.completed", { ageSeconds: 3600 });
  const address = told(served, "inspector");
  return { url: new URL(address).origin, address, arrived, post, served };
}
