import type { About, SignatureSteps, WrittenEvent } from "../shapes.ts";

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

/** The providers that a receiver imports by name. */
const CONSTANTS: Readonly<Record<string, string>> = {
  reference: "reference",
  "x-signature": "xSignature",
};

/** A test of the merchant's receiver with this very event, signed as its provider signs. */
export function testOf(
  { id, payload, type }: Pick<WrittenEvent, "id" | "payload" | "type">,
  provider: About["provider"],
): string {
  const constant = CONSTANTS[provider.name];
  const imported = constant && `import { ${constant} } from "@countersign/receiver/providers";\n`;
  return `${imported ?? ""}import { signedAttempt } from "@countersign/receiver/testing";
import { expect, it } from "vitest";
import { receiver } from "../src/receiver.ts";

it(${inCode(`handles ${type}`)}, async () => {
  const event = ${inCode(payload)};
  const attempt = signedAttempt({
    provider: ${constant ?? inCode(provider)},
    secrets: [process.env["WEBHOOK_SECRET"] ?? ""],
    id: ${inCode(id)},
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

/** Lines that compute an HMAC signature, with the secret in `$SECRET`: for a shell, Node and Python. */
export function signatureLines(
  { key, signedText }: Pick<SignatureSteps, "key" | "signedText">,
  {
    signature,
  }: { readonly signature: Pick<About["provider"]["signature"], "algorithm" | "encoding"> },
): { readonly name: string; readonly text: string }[] {
  const { encoding = "base64" } = signature;
  const algorithm = signature.algorithm.replace("hmac-", "");
  const isBase64 = key.form.startsWith("base64");
  const isHex = encoding === "hex";
  const bytes = isBase64 ? `printf %s "\${SECRET#whsec_}" | base64 -d` : `printf %s "$SECRET"`;
  const hexKey = `$(${bytes} | od -An -v -tx1 | tr -d " \\n")`;
  const nodeKey = isBase64
    ? 'Buffer.from(process.env.SECRET.replace("whsec_", ""), "base64")'
    : "process.env.SECRET";
  const pythonKey = isBase64
    ? 'base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))'
    : 'os.environ["SECRET"].encode()';
  const shellEnd = isHex ? 'od -An -v -tx1 | tr -d " \\n"' : "openssl base64 -A";
  const mac = `openssl dgst -${algorithm} -mac HMAC -macopt hexkey:${hexKey} -binary`;
  const inPython = inCode(signedText).replaceAll(
    /\\u\{(\w+)\}/g,
    (_, hex: string) => `\\U${hex.padStart(8, "0")}`,
  );
  const digest = `hmac.digest(${pythonKey}, ${inPython}.encode(), "${algorithm}")`;
  return [
    { name: "openssl", text: `printf %s ${quoted(signedText)} | ${mac} | ${shellEnd}` },
    {
      name: "Node",
      text: `require("node:crypto").createHmac("${algorithm}", ${nodeKey}).update(${inCode(signedText)}).digest("${isHex ? "hex" : "base64"}")`,
    },
    {
      name: "Python",
      text: `import base64, hmac, os\nprint(${isHex ? `${digest}.hex()` : `base64.b64encode(${digest}).decode()`})`,
    },
  ];
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
