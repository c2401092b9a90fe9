import { decode } from "./algorithms.ts";

type Members = Readonly<Record<string, unknown>>;

/** A JWT in three parts (RFC 7519); its claims are unread until its signature is genuine. */
export interface Token {
  /** The signed text. */
  readonly text: string;
  readonly header: Members;
  readonly payload: string;
  readonly signature: Uint8Array;
}

/**
 * Reads a token's form; `undefined` if a part is missing or not canonically encoded, if its header names another
 * algorithm than the document, or an extension that would have to be understood (`crit`).
 */
export function readToken(text: string, algorithm: string): Token | undefined {
  const [head = "", payload = "", signature = "", ...more] = text.split(".");
  const header = membersOf(head);
  const bytes = decode(signature, "base64url");
  if (more.length > 0 || header === undefined || bytes === undefined) return undefined;
  if (header["alg"] !== algorithm || Object.hasOwn(header, "crit")) return undefined;
  return { text: `${head}.${payload}`, header, payload, signature: bytes };
}

/** Decodes a JSON object; `undefined` for any other text. */
export function membersOf(text: string): Members | undefined {
  const bytes = decode(text, "base64url");
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes ?? []).toString());
    // An object, as just checked.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}
