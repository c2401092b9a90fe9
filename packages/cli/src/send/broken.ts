import type { Message, Secret, SignatureScheme } from "@countersign/signatures";

/** What `send --broken` can send, and what a receiver is expected to make of it. */
export const brokenKinds = {
  unsigned: "without its signature's headers",
  "wrong-secret": "signed with another secret",
  "changed-body": "one byte longer than what was signed",
  "changed-id": "under another id than what was signed",
  "truncated-signature": "its signature's last character missing",
  stale: "signed longer ago than the profile tolerates",
  future: "signed further ahead than the profile tolerates",
  "not-json": "signed, and its body is cut in half",
} as const;

export type BrokenKind = keyof typeof brokenKinds;

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Breaking {
  readonly scheme: SignatureScheme;
  readonly toleranceSeconds: number;
  readonly message: Message;
  readonly secret: Secret;
  /** A secret of the same form that nobody has. */
  readonly stranger: Secret;
}

/** A genuine attempt, or one with a single fault; `undefined` where the scheme cannot have that fault. */
export function signed(breaking: Breaking, kind: BrokenKind | undefined): Signed | undefined {
  const { scheme, message, secret, stranger, toleranceSeconds } = breaking;
  const sign = (change: Partial<Message> = {}, by = secret): Signed => {
    const changed = { ...message, ...change };
    return { headers: scheme.sign(changed, [by]), body: changed.body };
  };
  const genuine = sign();
  switch (kind) {
    case undefined:
      return genuine;
    case "unsigned":
      return { headers: {}, body: message.body };
    case "wrong-secret":
      return sign({}, stranger);
    case "changed-body":
      // A space after the value: the same JSON, and other bytes.
      return { headers: genuine.headers, body: Buffer.concat([message.body, Buffer.from(" ")]) };
    case "changed-id":
      return withHeader(genuine, (value) => (value === message.id ? `${value}X` : undefined));
    case "truncated-signature":
      return withHeader(genuine, (value) =>
        value === message.id || value === String(message.timestamp)
          ? undefined
          : value.slice(0, -1),
      );
    case "stale":
      return moved(genuine, sign({ timestamp: message.timestamp - toleranceSeconds - 60 }));
    case "future":
      return moved(genuine, sign({ timestamp: message.timestamp + toleranceSeconds + 60 }));
    case "not-json":
      return sign({ body: message.body.subarray(0, Math.floor(message.body.length / 2)) });
    default:
      return kind satisfies never;
  }
}

/** A scheme that signs no time makes the same signature at any time. */
function moved(genuine: Signed, other: Signed): Signed | undefined {
  return JSON.stringify(genuine.headers) === JSON.stringify(other.headers) ? undefined : other;
}

/** One header changed; `undefined` where none is of that kind. */
function withHeader(
  { headers, body }: Signed,
  change: (value: string) => string | undefined,
): Signed | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const changed = change(value);
    if (changed !== undefined) return { headers: { ...headers, [name]: changed }, body };
  }
  return undefined;
}
