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
 * - `CS_SCHEME_WEAK`: the provider signs no time, or its signature has another weakness that a stranger with an attempt can use. Reported once a process.
 * - `CS_SENDER_NEVER_RETRIES`: an event whose handler fails is lost, since the provider sends it once.
 * - `CS_REPLAY_REFUSED`: with `replay: "refuse"` honest events with equal bytes collapse into one.
 * - `CS_HANDSHAKE_TOKEN_MISSING`: the provider's handshake is refused, since `verifyToken` is not set.
 * - `CS_SECRET_DOUBTFUL`: a secret works, but looks like a mistake, such as base64 without `whsec_`.
 * - `CS_TENANT_UNPROVED`: tenants share a secret, so that an attempt of one can be sent as another's.
 * - `CS_WORKER_NOT_STARTED`: an event is stored and no worker of this process handles it: call `receiver.start()`.
 * - `CS_CONNECTION_LOST`: the inbox's pool or client lost a connection, and connects again.
 * - `CS_EVENTS_OVERDUE`: stored events should have been handled: workers are stopped or too slow.
 */
export function warnProcess(code: string, message: string): void {
  runtime.process?.emitWarning?.(message, { code });
}

/** True for a promise of any realm, and for what `await` takes as one. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value !== null && /^(?:object|function)$/.test(typeof value) && "then" in (value as object);

/** True for errors of any realm: test runners such as Jest run an app in another realm than Node's own errors. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
