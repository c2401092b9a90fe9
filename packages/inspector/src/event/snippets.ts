import { quoted } from "../parts/curl-of.ts";
import type { Attempt, Delivery, ToldEvent } from "../remote/shapes.ts";

/** An attempt as the line that makes it again: same bytes, same signature. */
export function attemptCurl(
  { url }: Delivery,
  { headers }: Attempt,
  { payload }: ToldEvent,
): string {
  const fields = Object.entries(headers ?? {}).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return ["curl", ...fields, "--data-binary", quoted(payload), quoted(url ?? "")].join(" ");
}

/** A test of the merchant's receiver with this very event. */
export function attemptTest({ payload, type }: ToldEvent): string {
  return `import { signedAttempt } from "@countersign/receiver/testing";
import { expect, it } from "vitest";
import { receiver } from "../src/receiver.ts";

it(${inCode(`handles ${type}`)}, async () => {
  const event = ${inCode(payload)};
  const attempt = signedAttempt({
    secrets: [process.env["WEBHOOK_SECRET"] ?? ""],
    id: JSON.parse(event).id,
    event,
  });

  const outcome = await receiver.receive(attempt);

  expect(outcome.kind).toBe("handled");
});
`;
}

/** A text as a literal of JavaScript, without a character that an editor or a terminal would obey. */
function inCode(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
