import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createReceiver, memoryInbox, type UnknownEvent } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { onTestFinished } from "vitest";
import type { Effect } from "../../src/receiver/effects.ts";
import { receiverTarget, type ReceiverTargetOptions } from "../../src/receiver/receiver-target.ts";
import type { ReceiverTarget } from "../../src/target.ts";

export const secrets: Readonly<Record<string, readonly string[]>> = {
  standard: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
  "x-signature": ["a-secret-that-only-the-two-of-us-have"],
};

export interface OpenOptions extends Partial<ReceiverTargetOptions> {
  readonly profile?: Profile;
  /** Whether the receiver tells of its effects. Default true. */
  readonly hasEffects?: boolean;
  /** What the receiver verifies with, where that is not what attempts are signed with. */
  readonly verifyingSecrets?: readonly string[];
  /** What stands before the receiver: it answers, or hands on. */
  readonly fault?: (next: RequestListener) => RequestListener;
}

interface Told {
  readonly failNext?: number;
  readonly hangNext?: number;
  readonly reason?: string | undefined;
}

/** A server on a free port of this machine, as long as the test. */
export async function listening(listener: RequestListener): Promise<string> {
  return listeningServer(createServer(listener).on("checkContinue", listener));
}

export async function listeningServer(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  // A server that listens on a port has an address of that kind.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Our own receiver behind a socket, with a handler whose effects can be seen. */
export async function openReceiver({
  profile = profiles.standard,
  hasEffects = true,
  fault = (next) => next,
  verifyingSecrets,
  ...options
}: OpenOptions = {}): Promise<ReceiverTarget> {
  const own = options.secrets ?? secrets[profile.name] ?? [];
  const effects = new Map<string, Effect>();
  let told: Told = {};
  const handle = async ({ id, type, data }: UnknownEvent): Promise<void> => {
    const { failNext = 0, hangNext = 0, reason } = told;
    told = { failNext: Math.max(0, failNext - 1), hangNext: Math.max(0, hangNext - 1), reason };
    if (hangNext > 0) await new Promise(() => {});
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    if (failNext > 0) throw new Error(reason);
    const count = (effects.get(id)?.count ?? 0) + 1;
    effects.set(id, { eventId: id, type, count, ...amountOf(data) });
  };
  // Where a check waits for its deadlines they are short; elsewhere a busy machine must not meet them.
  const hasty = options.slow === true && { limits: { answerMs: 1000, bodyMs: 500 }, lease: 1500 };
  const receiver = toNode(
    createReceiver({
      secrets: verifyingSecrets ?? own,
      profile,
      fallback: handle,
      inbox: memoryInbox(),
      log: false,
      ...hasty,
    }),
  );
  const tell = async (request: IncomingMessage): Promise<string> => {
    if (request.method !== "PUT") return JSON.stringify([...effects.values()]);
    // The kit's own effects have sent it.
    told = (await json(request)) as Told;
    return "";
  };
  const faulty = fault((request, response) => void receiver(request, response));
  const origin = await listening((request, response) => {
    if (request.url !== "/effects") faulty(request, response);
    else
      void tell(request).then((text) =>
        response.writeHead(200, { "content-type": "application/json" }).end(text),
      );
  });
  return receiverTarget({
    url: `${origin}/webhooks`,
    secrets: own,
    profile,
    nonce: "a-test",
    ...(hasEffects && { effectsUrl: `${origin}/effects` }),
    ...options,
  });
}

/** A payment's amount, by its digits. */
function amountOf(data: unknown): { readonly amountCents?: string } {
  const { value } = ((data ?? {}) as { amount?: { value?: number } }).amount ?? {};
  return value === undefined ? {} : { amountCents: String(Math.round(value * 100)) };
}
