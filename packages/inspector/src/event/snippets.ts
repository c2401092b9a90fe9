import { quoted } from "../parts/curl-of.ts";
import type { About, Attempt, Delivery, ToldEvent } from "../remote/shapes.ts";

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

/** A test of the merchant's receiver with this very event, signed as the profile has it. */
export function attemptTest(
  { id, payload, type }: Pick<ToldEvent, "id" | "payload" | "type">,
  signature: About["signature"],
): string {
  const { scheme: name, description } = signature;
  const isStandard = name === "standard-webhooks";
  const imported = isStandard ? "" : `import { schemeOf } from "@countersign/signatures";\n`;
  const scheme = isStandard
    ? ""
    : `\n    scheme: schemeOf(${inCode({ scheme: name, description })}),`;
  return `import { signedAttempt } from "@countersign/receiver/testing";
${imported}import { expect, it } from "vitest";
import { receiver } from "../src/receiver.ts";

it(${inCode(`handles ${type}`)}, async () => {
  const event = ${inCode(payload)};
  const attempt = signedAttempt({
    secrets: [process.env["WEBHOOK_SECRET"] ?? ""],
    id: ${inCode(id)},
    event,${scheme}
  });

  const outcome = await receiver.receive(attempt);

  expect(outcome.kind).toBe("handled");
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
