import type { Secret } from "@countersign/signatures";
import { shownBytes } from "./exchange-text.ts";

/** Texts of fewer characters are not searched for: ordinary words contain them. */
const SHORTEST = 8;

/** Every form in which a secret's text or key could appear in a message. */
export function secretTexts(secret: Secret): readonly string[] {
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
  return [...new Set([text, bare, ...encoded])].filter(({ length }) => length >= SHORTEST);
}

/** True if a text contains a secret in any of its forms. */
export function containsSecret(text: string, secrets: Iterable<Secret>): boolean {
  return formsOf(secrets).some((form) => text.includes(form));
}

/**
 * Removes secrets from everything that is reported, in every encoding: a target may print what it
 * was sent, also coded. The last of several walls: no check writes a secret down.
 *
 * @param secrets Tokens, keys, and what is made of them (`user:password` of Basic); those of less than 8
 *   characters stay.
 * @returns Gives a copy of a JSON value with `[secret]` instead of each.
 */
export function redactor(secrets: readonly Secret[]): <T>(value: T) => T {
  const forms = formsOf(secrets).toSorted((a, b) => b.length - a.length);
  const hide = (text: string): string =>
    forms.reduce((before, form) => before.replaceAll(form, "[secret]"), text);
  // Each value keeps its form; only texts change.
  return <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_name, one: unknown) =>
      typeof one === "string" ? hide(one) : one,
    ) as T;
}

function formsOf(secrets: Iterable<Secret>): readonly string[] {
  const forms = new Set([...secrets].flatMap(secretTexts).flatMap(spellings));
  return [...forms].filter(({ length }) => length >= SHORTEST);
}

/** A text as it is, without the padding of base64, and as reports, URLs and JSON escape it. */
function spellings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    text.replace(/=+$/, ""),
    shownBytes(text),
    encodeURIComponent(text.toWellFormed()),
    json,
  ];
}
