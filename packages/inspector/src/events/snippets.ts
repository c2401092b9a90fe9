import type { About, WrittenEvent } from "../shapes.ts";

/** A request to repeat manually. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as a line for a POSIX shell: the same bytes, the same signature. */
export function curlOf({ url, headers, body }: SentRequest): string {
  const fields = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ["curl", "-i", ...fields, "--data-binary", quoted(body), quoted(url)].join(" ");
}

/** The providers of the sandbox's built-in profiles. */
const OF_PROFILES = ["reference", "x-signature"];

/**
 * A test of the merchant's receiver with this very event, signed as its provider signs. It fails until the event is handled.
 *
 * @param headers The attempt's, of which the test gets those that carry parts of the event.
 */
export function testOf(
  { eventId, payload, type }: Pick<WrittenEvent, "eventId" | "payload" | "type">,
  {
    provider,
    isBuiltIn = OF_PROFILES.includes(provider.name),
  }: Pick<About, "provider" | "isBuiltIn">,
  headers: Readonly<Record<string, string>> = {},
): string {
  const constant = provider.name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const imported = `import { ${constant} } from "@countersign/receiver/providers";\n`;
  const carried = JSON.stringify(provider.event).toLowerCase();
  const own = Object.entries(headers).filter(([name]) =>
    carried.includes(`"header:${name.toLowerCase()}"`),
  );
  const fields = own.length === 0 ? "" : `\n    headers: ${inCode(Object.fromEntries(own))},`;
  return `${isBuiltIn ? imported : ""}import { signedAttempt } from "@countersign/receiver/testing";
import { expect, it } from "vitest";
import { receiver } from "../src/receiver.ts";

it(${inCode(`handles ${type}`)}, async () => {
  const event = ${inCode(payload)};
  const attempt = signedAttempt({
    provider: ${isBuiltIn ? constant : inCode(provider)},
    secrets: [process.env["WEBHOOK_SECRET"] ?? ""],
    id: ${inCode(eventId)},${fields}
    event,
  });

  const outcome = await receiver.receive(attempt);

  // The error of your handler, with its stack.
  if (outcome.kind === "failed") throw outcome.error;
  expect(outcome).toMatchObject({ kind: "handled" });
});
`;
}

/** A value of JSON in JavaScript, without a character that an editor or a terminal would obey. */
function inCode(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * A text as one word of a POSIX shell, whatever it contains. Characters that a terminal obeys (C0, DEL, C1) or shows in
 * another order (bidi) are never pasted unchanged: `printf` makes them where the line runs. Such a text loses
 * line ends at its end.
 */
export function quoted(text: string): string {
  if (!OBEYED.test(text)) return inQuotes(text);
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll(new RegExp(OBEYED, "gu"), (character) =>
      [...new TextEncoder().encode(character)]
        .map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`)
        .join(""),
    );
  return `"$(printf %b ${inQuotes(escaped)})"`;
}

/** Controls of a terminal and of the direction of text; a line end within quotes is harmless. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
