import type { ProviderDocument } from "@countersign/schemas/providers";
import type { SignatureScheme } from "@countersign/signatures";
import type { ReceiverOptions } from "../options.ts";

/** The global object, of which Node's types promise more than every runtime of the Web has. */
export const runtime = globalThis as {
  readonly process?: {
    readonly stderr?: { write?(text: string): unknown };
    emitWarning?(message: string, options: { code: string }): void;
  };
};

/**
 * Emits a process warning, in runtimes that have them.
 *
 * - `CS_INBOX_MEMORY`: the default memory inbox is used, which forgets all events when the process ends.
 * - `CS_SCHEME_WEAK`: the provider signs no time, or its signature has another weakness that a stranger with an attempt can use.
 * - `CS_SENDER_NEVER_RETRIES`: an event whose handler fails is lost, since the provider sends it once.
 * - `CS_REPLAY_REFUSED`: with `replay: "refuse"` honest events with equal bytes collapse into one.
 * - `CS_SECRET_DOUBTFUL`: a secret works, but looks like a mistake, such as base64 without `whsec_`.
 * - `CS_TENANT_UNPROVED`: tenants share a secret, so that an attempt of one can be sent as another's.
 * - `CS_WORKER_NOT_STARTED`: an event is stored and no worker of this process handles it: call `receiver.start()`.
 * - `CS_CONNECTION_LOST`: the inbox's pool or client lost a connection, and connects again.
 * - `CS_EVENTS_OVERDUE`: stored events should have been handled: workers are stopped or too slow.
 */
export function warnProcess(code: string, message: string): void {
  runtime.process?.emitWarning?.(message, { code });
}

/** Warns about what loses events or lets them be replayed. */
export function warnOfRisks(
  options: Pick<ReceiverOptions<unknown>, "inbox" | "acknowledge" | "replay">,
  { title, retries }: ProviderDocument,
  scheme: SignatureScheme,
): void {
  const warn = (code: string, text: string): void => warnProcess(code, `createReceiver: ${text}`);
  for (const warning of scheme.warnings) warn("CS_SCHEME_WEAK", warning);
  if (retries === "none" && options.acknowledge !== "after-store")
    warn(
      "CS_SENDER_NEVER_RETRIES",
      `${title} never sends an event again by itself: one whose handler fails is lost. Use acknowledge "after-store", ` +
        "whose workers try again, and ask it to send again what was never received",
    );
  const { replay } = options;
  if ((typeof replay === "object" ? Object.values(replay) : [replay]).includes("refuse"))
    warn(
      "CS_REPLAY_REFUSED",
      'with replay "refuse", an honest event whose bytes equal those of another one counts as its duplicate and never runs',
    );
  if (options.inbox === undefined)
    warn(
      "CS_INBOX_MEMORY",
      "the default memory inbox forgets all events when the process ends and sees no other process. " +
        "Use sqliteInbox, postgresInbox or redisInbox, or say that it is wanted: inbox: memoryInbox()",
    );
}
