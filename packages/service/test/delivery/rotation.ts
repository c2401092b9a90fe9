import type { Profile } from "@countersign/schemas/profiles";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { expect } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { signerOf } from "../../src/delivery/signer.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { startReceiver, type Arrived } from "./listening.ts";
import { openQueue } from "./queue.ts";

type Headers = Record<string, string>;

/** A library that merchants verify with. */
export interface Peer {
  readonly name: string;
  /** How a profile signs for it. */
  readonly signature: Profile["signature"];
  /** Throws where it does not take the attempt. */
  readonly verify: (body: Buffer, headers: Headers, secret: string) => unknown;
}

const standard: Profile["signature"] = { scheme: "standard-webhooks", toleranceSeconds: 300 };
const base64 = (secret: string): string => Buffer.from(secret).toString("base64");
const stripe = new Stripe("sk_test_of_nobody");

export const peers: readonly Peer[] = [
  {
    name: "standardwebhooks",
    signature: standard,
    verify: (body, headers, secret) => new StandardWebhook(base64(secret)).verify(body, headers),
  },
  {
    name: "stripe",
    signature: {
      scheme: "hmac",
      toleranceSeconds: 300,
      description: {
        name: "timestamped",
        algorithm: "sha256",
        encoding: "hex",
        headers: { signature: "Stripe-Signature" },
        form: { kind: "pairs", timestamp: "t", signature: "v1" },
        signed: ["timestamp", "body"],
        separator: ".",
      },
    },
    verify: (body, headers, secret) =>
      stripe.webhooks.constructEvent(body, headers["stripe-signature"] ?? "", secret),
  },
];

/**
 * Delivers events to a merchant who changes the secret again and again: a second subscription of the same
 * address brings the next one, both get each event for a while, and the first is closed.
 *
 * @returns Attempts that the peer verifies with neither of the merchant's secrets.
 */
export async function rotate(
  { signature, verify }: Peer,
  { rotations, eventsEach }: { rotations: number; eventsEach: number },
): Promise<number> {
  const queue = await openQueue();
  const secretOf = (number: number): string => `secret-number-${String(number).padStart(12, "0")}`;
  let number = 0;
  let [attempts, refused] = [0, 0];
  const events = new Set<string>();
  const { arrived, url } = await startReceiver(204);
  const receive = ({ headers, body }: Arrived): void => {
    attempts += 1;
    // The merchant knows the old and the new one.
    const isGenuine = [number, number + 1].some((one) => {
      try {
        verify(body, headers, secretOf(one));
        return true;
      } catch {
        return false;
      }
    });
    if (!isGenuine) refused += 1;
    // Written by `publish`.
    events.add((JSON.parse(body.toString()) as { id: string }).id);
  };
  const transport = undiciTransport({ deadlineMs: 10_000, allowLoopback: true });
  // The libraries read the machine's clock.
  const options = { sign: signerOf({ signature }), clock: systemClock };
  const engine = queue.engine(transport, options);

  const subscribe = (at: number): Promise<void> =>
    queue.subscribe(`sub_${String(at)}`, { url, secret: secretOf(at) });
  await subscribe(0);
  for (; number < rotations; number += 1) {
    await subscribe(number + 1);
    await queue.publish(eventsEach, [`sub_${String(number)}`, `sub_${String(number + 1)}`]);
    await engine.drain("clk_1");
    arrived.splice(0).forEach(receive);
    await queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = $1", [
      `sub_${String(number)}`,
    ]);
  }
  // Each event comes to both subscriptions, and is one by its id.
  expect([attempts, events.size]).toEqual([2 * rotations * eventsEach, rotations * eventsEach]);
  return refused;
}
