import type { Call } from "./call.ts";
import { exchange, type Incoming, type Wire } from "./exchange.ts";
import { readJsonAnswer, unreadable, type Read } from "./read-json-answer.ts";
import { readRefusal } from "./read-refusal.ts";
import { redactor } from "./redactor.ts";
import type { Tokens } from "./tokens.ts";

export interface Line {
  readonly wire: Wire;
  readonly tokens: Tokens;
}

/** True if the call may still get a new token for a 401. Shared by its attempts. */
export interface Renewal {
  isSpent: boolean;
}

/**
 * One attempt of a call: a token, one exchange, the answer. The first 401 of a call gets a new token
 * and another exchange, since a rejected call has no effect. Never rejects.
 */
export async function attempt<T>(
  { wire, tokens }: Line,
  call: Call<T>,
  { renewal, signal }: { readonly renewal: Renewal; readonly signal: AbortSignal },
): Promise<Read<T>> {
  const first = await tokens.get(signal);
  if (!first.ok) return first;
  const exchanged = await send(wire, call, { token: first.token, signal });
  if (!exchanged.ok) return exchanged;
  const { answer } = exchanged;
  if (answer.status !== 401 || renewal.isSpent) return read(wire, call, { answer, ...first });

  renewal.isSpent = true;
  tokens.refused(first.token);
  const next = await tokens.get(signal);
  if (!next.ok) return next;
  if (next.token === first.token) return read(wire, call, { answer, ...first });
  const again = await send(wire, call, { token: next.token, signal });
  return again.ok ? read(wire, call, { answer: again.answer, ...next }) : again;
}

function send<T>(
  wire: Wire,
  { method, path, body }: Call<T>,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
) {
  // S 1: all three on every call, Content-Type without a body too.
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${token}`,
  };
  return exchange(wire, { method, path, headers, ...(body !== undefined && { body }) }, signal);
}

function read<T>(
  { settings: { limits, time } }: Wire,
  { secrets, validate, settle }: Call<T>,
  { answer, token }: { readonly answer: Incoming; readonly token: string },
): Read<T> {
  if (answer.status >= 400) {
    const redact = redactor([token, ...secrets]);
    const reading = readRefusal(answer, { depth: limits.depth, now: time.now(), redact });
    if (!reading.ok) return reading;
    if (settle !== undefined) return settle(reading);
    return { ok: false, failure: { code: "CS_CALL_REFUSED", refusal: reading.refusal } };
  }
  if (answer.status >= 300) return unreadable("status", answer.status);
  return readJsonAnswer(answer, { depth: limits.depth, validate });
}
