import { faultsOf, lengthOf } from "./faults.ts";
import type { LocatedSchema } from "./schema.ts";

/**
 * A text of exactly this length that the schema takes but for its length, made from one that it takes;
 * `undefined` where the form leaves no other length, as for a time.
 */
export function textOfLength(
  at: LocatedSchema,
  { from, length }: { readonly from: string; readonly length: number },
): string | undefined {
  const isFit = (text: string): boolean =>
    lengthOf(text) === length &&
    faultsOf(at, text).every((keyword) => ["minLength", "maxLength"].includes(keyword));
  return lengthened(from, length).find(isFit);
}

/** The text cut or filled in several ways: in its middle, at its end, and from nothing. */
function lengthened(from: string, length: number): readonly string[] {
  const all = Array.from(from);
  const cut = all.slice(0, length).join("");
  const missing = Math.max(0, length - all.length);
  const filled = ["a", "0", " ", all.at(-1) ?? "a", "/a"].flatMap((filler) => [
    from + filler.repeat(missing).slice(0, missing),
    Array.from(filler.repeat(missing)).slice(0, missing).join("") + from,
  ]);
  const fresh = ["a", "0", "A", "~"].map((one) => one.repeat(length));
  const beforeEnd = all.toSpliced(Math.min(1, all.length), 0, ...Array.from("a".repeat(missing)));
  const address = `https://example.test/${"a".repeat(Math.max(0, length - 21))}`;
  return [cut, ...filled, ...fresh, beforeEnd.join(""), address.slice(0, Math.max(length, 21))];
}

/**
 * Texts that may break the form: a character that is outside most classes in the place of the last one,
 * none of those that a form needs, and forms of time and address that come close.
 */
export function formBreakers(from: string): readonly string[] {
  const all = Array.from(from);
  const replaced = ["\u0000", " ", "\n", "é", "#", ".", "/", "@", "\u{1F600}"].map((one) =>
    all.toSpliced(-1, 1, one).join(""),
  );
  return [
    ...replaced,
    from.replaceAll(/[^A-Za-z0-9]/gu, "a"),
    ...["", "a", "-", " "].map((one) => one.repeat(Math.max(1, all.length))),
    "2026-02-30T09:30:00.000Z",
    "2026-11-21T24:00:00.000Z",
    "ftp://example.test/webhooks",
    "https://user@example.test/webhooks",
    "https://example.test/webhooks#here",
  ];
}
