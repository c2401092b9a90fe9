import {
  createReceiver,
  type EventFacts,
  memoryInbox,
  type ReceiverOptions,
} from "@countersign/receiver";
import { github, type ProviderDocument, stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { beforeEach, vi } from "vitest";
import { NOON, secret } from "./fixtures.ts";

export const line = vi.fn<(text: string) => void>();
const warn = vi.spyOn(process, "emitWarning");
beforeEach(() => {
  line.mockClear();
  warn.mockReturnValue();
});

/** A receiver of a provider at noon, and what its fallback got. */
export function receiverOf(
  provider: ProviderDocument,
  options: Partial<ReceiverOptions<unknown>> = {},
) {
  const seen: EventFacts[] = [];
  const receiver = createReceiver({
    provider,
    secrets: [secret],
    fallback: (_event, { event }) => void seen.push(event),
    inbox: memoryInbox(),
    log: { warn: line, error: line },
    explain: false,
    now: () => NOON,
    ...options,
  });
  return { receiver, seen };
}

type Signing = Omit<Parameters<typeof signedAttempt>[0], "provider" | "event" | "secrets" | "now">;
export const attemptOf = (provider: ProviderDocument, event: object | string, more: Signing = {}) =>
  signedAttempt({ provider, secrets: [secret], event, now: NOON, ...more });

/** A push as GitHub delivers it. */
export const pushed = (id: string, event: object = { ref: "main" }, type = "push") =>
  attemptOf(github, event, { headers: { "X-GitHub-Event": type, "X-GitHub-Delivery": id } });

/** An invoice that is paid, of Stripe's test mode unless it is live. */
export const invoicePaid = (id = "evt_1", more: object = {}, provider = stripe) =>
  attemptOf(provider, { id, object: "event", type: "invoice.paid", ...more });
