import { shownBytes } from "../shown-bytes.ts";

/**
 * Takes secrets out of everything that is told, in whatever form they come back: a target may print what it
 * was sent, also coded. The last of several walls: no check writes a secret down.
 *
 * @param secrets Tokens, keys, and what is made of them (`user:password` of Basic); those of less than 8
 *   characters stay, since they stand in ordinary words.
 * @returns Gives a copy of a value of JSON with `[secret]` in the place of each.
 */
export function redactor(secrets: readonly string[]): <T>(value: T) => T {
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= 8)
    .toSorted((a, b) => b.length - a.length);
  const hide = (text: string): string =>
    forms.reduce((before, form) => before.replaceAll(form, "[secret]"), text);
  // Each value keeps its form; texts alone change.
  return <T>(value: T): T => copied(value, hide) as T;
}

function copied(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => copied(one, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one, hide)]));
}

function formsOf(secret: string): readonly string[] {
  const bare = secret.replace(/^(?:whsec_|whsk_|whpk_|raw:)/, "");
  const key = secret.startsWith("whsec_") ? [Buffer.from(bare, "base64")] : [];
  const bytes = [Buffer.from(secret), Buffer.from(bare), ...key];
  return [
    ...[secret, bare].flatMap((text) => [
      text,
      shownBytes(text),
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
    ]),
    ...bytes.flatMap((one) => {
      const hex = one.toString("hex");
      // Without padding, so that it is found with and without.
      const base64 = one.toString("base64").replace(/=+$/, "");
      return [hex, hex.toUpperCase(), base64, one.toString("base64url")];
    }),
  ];
}
