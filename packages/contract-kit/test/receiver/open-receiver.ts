import { createServer, type RequestListener } from "node:http";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { onTestFinished } from "vitest";
import {
  type ReceiverTarget,
  receiverTarget,
  type ReceiverTargetOptions,
} from "../../src/harness/receiver-target.ts";
import { listen } from "../listen.ts";
import { makeEffects } from "./make-effects.ts";

export const secrets: Readonly<Record<string, readonly string[]>> = {
  standard: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
  "x-signature": ["a-secret-that-only-the-two-of-us-have"],
};

export interface OpenOptions extends Partial<ReceiverTargetOptions> {
  readonly profile?: Profile;
  /** A server with both paths, instead of our receiver. */
  readonly app?: RequestListener;
  /** False if the receiver does not report its effects. Default true. */
  readonly hasEffects?: boolean;
  readonly order?: "none" | "per-resource";
  /** The receiver's wall clock. */
  readonly now?: () => number;
  /** The receiver's secrets, if not those that sign attempts. */
  readonly verifyingSecrets?: readonly string[];
  /** Answers in the receiver's place, or hands requests on. */
  readonly fault?: (next: RequestListener) => RequestListener;
}

/** Answers each 40th attempt 503 or resets its connection, in turns. */
export const flaky = (): NonNullable<OpenOptions["fault"]> => {
  let seen = 0;
  return (next) => (request, response) => {
    seen += 1;
    if (seen % 40 !== 0) next(request, response);
    else if (seen % 80 === 0) request.socket.destroy();
    else request.resume().on("end", () => response.writeHead(503).end());
  };
};

/**
 * Opens our own receiver behind a socket, with a handler that reports its effects.
 *
 * @param whenDone Takes what closes it. Default: the end of the test, which concurrent tests cannot use.
 */
export async function openReceiver(
  {
    profile = profiles.standard,
    hasEffects = true,
    fault = (next) => next,
    order = "none",
    verifyingSecrets,
    now,
    app,
    ...options
  }: OpenOptions = {},
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
): Promise<ReceiverTarget> {
  const own = options.secrets ?? secrets[profile.name] ?? [];
  const effects = makeEffects({ handlerMs: 5 });
  // Short only if a check waits for them: elsewhere a busy machine must not meet them.
  const hasty = options.slow === true && { limits: { answerMs: 1000, bodyMs: 500 }, lease: 1500 };
  const receiver = toNode(
    createReceiver({
      secrets: verifyingSecrets ?? own,
      provider: providerOf(profile),
      order,
      fallback: (event) => effects.handle(event),
      inbox: memoryInbox(),
      log: false,
      ...(now && { now }),
      ...hasty,
    }),
  );
  const faulty = fault((request, response) => void receiver(request, response));
  const both: RequestListener = (request, response) => {
    if (request.url === "/effects") void effects.answer(request, response);
    else faulty(request, response);
  };
  const server = createServer(app ?? both);
  const { origin, close } = await listen(server.on("checkContinue", app ?? both));
  whenDone(close);
  return receiverTarget({
    url: `${origin}/webhooks`,
    secrets: own,
    provider: providerOf(profile),
    nonce: "a-test",
    ...(hasEffects && { effects: `${origin}/effects` }),
    ...options,
  });
}
