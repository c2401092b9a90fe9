import type { Profile } from "@countersign/schemas";
import type { Secret } from "@countersign/signatures";
import type { Exchange } from "../check.ts";
import { shownBytes } from "../shown-bytes.ts";
import type { Received } from "./connection.ts";

/** The result of one attempt. */
export interface Reply {
  readonly received: Received;
  /** `undefined` if no answer came. */
  readonly status: number | undefined;
  /** True if the sender counts it as delivered, by the profile. */
  readonly isAcknowledged: boolean;
  /** The status, or the reason if it has none: for messages. */
  readonly said: string;
  readonly text: string;
  /** The first header of that name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The wait of its Retry-After (a number or a date) in milliseconds. */
  readonly retryAfterMs: (now: number) => number | undefined;
  /** Both sides as text, without a secret. */
  readonly exchange: () => Exchange;
}

export interface ReplyOptions {
  readonly sent: readonly Uint8Array[];
  readonly received: Received;
  readonly profile: Profile;
  readonly secrets: readonly Secret[];
}

export function replyOf({ sent, received, profile, secrets }: ReplyOptions): Reply {
  const answer = received.kind === "answer" ? received.answer : undefined;
  const status = answer?.status;
  const isAcknowledged =
    status !== undefined &&
    (profile.delivery.success === "200" ? status === 200 : status >= 200 && status < 300);
  const header = (name: string): string | undefined =>
    answer?.headers.find((one) => one[0] === name)?.[1];
  return {
    received,
    status,
    isAcknowledged,
    said: received.kind === "answer" ? String(received.answer.status) : saidOf(received),
    text: answer === undefined ? "" : Buffer.from(answer.body).toString(),
    header,
    retryAfterMs: (now) => {
      const value = header("retry-after") ?? "";
      if (/^\d{1,9}(?:\.\d{1,3})?$/.test(value)) return Number(value) * 1000;
      const date = Date.parse(value);
      return Number.isNaN(date) ? undefined : Math.max(0, date - now);
    },
    exchange: () => ({
      sent: shownBytes(Buffer.concat(sent)),
      received: shownBytes(withoutSecrets(received.raw, secrets)),
    }),
  };
}

function saidOf(received: Exclude<Received, { readonly kind: "answer" }>): string {
  switch (received.why) {
    case "closed":
      return "a closed connection";
    case "garbled":
      return `no answer of HTTP (${received.detail})`;
    case "timeout":
      return `no answer within ${received.detail}`;
    case "unreachable":
      return `no connection (${received.detail})`;
    default:
      return received.why satisfies never;
  }
}

/** Every form in which a secret's text could appear in a response. */
export function textsOf(secret: Secret): readonly string[] {
  const plain = typeof secret === "string" ? secret : "raw" in secret ? secret.raw : "";
  const text = typeof plain === "string" ? plain : Buffer.from(plain).toString("base64");
  const bare = text.replace(/^(?:whsec_|whsk_|whpk_|raw:)/, "");
  const bytes = [Buffer.from(text), Buffer.from(bare), Buffer.from(bare, "base64")];
  const encoded = bytes.flatMap((one) => [
    one.toString("hex"),
    one.toString("hex").toUpperCase(),
    one.toString("base64"),
    one.toString("base64url"),
  ]);
  return [...new Set([text, bare, ...encoded])].filter(({ length }) => length >= 8);
}

/** If a receiver leaks its secret, the report must not. */
function withoutSecrets(raw: Uint8Array, secrets: readonly Secret[]): Buffer {
  const texts = secrets.flatMap(textsOf);
  const text = texts.reduce(
    (before, secret) => before.replaceAll(Buffer.from(secret).toString("latin1"), "[secret]"),
    Buffer.from(raw).toString("latin1"),
  );
  return Buffer.from(text, "latin1");
}
