import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";

/** A provider's document in words, for the terminal and for the site. */
export interface ProviderSheet {
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** Code that mounts a receiver. */
  readonly mount: string;
  readonly traps: readonly string[];
  readonly events: readonly {
    readonly type: string;
    readonly category?: string;
    readonly description?: string;
  }[];
}

/** @throws {TypeError} The document is one that `schemeOf` refuses. */
export function providerSheet(provider: ProviderDocument): ProviderSheet {
  const { signature, secret, sdk, event, batch, variants = [], answer = {}, media } = provider;
  const { where, prefix } = secret ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["documentation", provider.documentation],
    ["delivery facts from", provider.sources?.join(", ")],
    [
      "proof",
      sdk ? `test vectors of ${sdk.npm} ${sdk.version}` : "test vectors of the documentation",
    ],
    ["secret", where],
    ["begins with", prefix === undefined ? undefined : [prefix].flat().join(" or ")],
    ["algorithm", signature.algorithm],
    ["signed", signedText(provider)],
    [
      "signature in",
      [...new Set(signature.carrier.map(({ at, pair }) => named(at, pair)))].join(", "),
    ],
    ["weak", signature.weak],
    ["ambiguous", signature.ambiguous],
    ["replay bound", seconds(replaySeconds(provider)) ?? "none but the inbox's retention"],
    ["media types", media?.join(", ")],
    ["batch", batch && `one event for each item of ${named(batch)}`],
    ["event id", idText(provider)],
    ["type", typeText(event)],
    ["category", categoryText(event)],
    ["time", event.time && `${named(event.time.at)} (${event.time.unit})`],
    ["data", event.data && named(event.data)],
    [
      "live mode",
      event.live && (typeof event.live === "string" ? named(event.live) : condition(event.live)),
    ],
    ["account", event.account && named(event.account)],
    ...variants.map(
      ({ when, event: own }) =>
        ["variant", `if ${condition(when)}: type ${typeText(own)}`] as const,
    ),
    ["handshake", handshakes(provider)],
    ["deadline", confirmed(provider, "deadlineSeconds", seconds(answer.deadlineSeconds))],
    [
      "answer",
      `${String(answer.success ?? "2xx")}${answer.body === undefined ? "" : ` ${JSON.stringify(answer.body)}`}`,
    ],
    ["refusal", answer.refused === undefined ? undefined : String(answer.refused)],
    ["retries", confirmed(provider, "retries", retriesText(provider))],
  ];
  return {
    facts: rows.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const])),
    mount: mountOf(provider),
    traps: provider.traps ?? [],
    events: eventsOf(provider),
  };
}

/** The signed text, such as `timestamp + "." + body`. */
export function signedText({ signature }: ProviderDocument): string {
  const { signed = [], join, digests = [], claims = {}, per } = signature;
  const parts = signed.map(partText).join(join ? ` + ${JSON.stringify(join)} + ` : " + ");
  const token = Object.entries(claims).map(([name]) => `claim ${name}`);
  const of = digests.map((one) => `${one.algorithm} of the ${one.of} in ${named(one.at)}`);
  const whole = [parts, ...token, ...of].filter((text) => text !== "").join(", ");
  return per === "item" ? `${whole}, for each item` : whole;
}

type Part = NonNullable<ProviderDocument["signature"]["signed"]>[number];

function partText(part: Part): string {
  if (typeof part === "string") return part;
  if ("text" in part) return JSON.stringify(part.text);
  if ("at" in part) return named(part.at);
  if ("crc32" in part) return "CRC-32 of the body";
  if ("form" in part) return "the form's fields, sorted";
  return `[${part.parts.map(partText).join(" + ")} if ${named(part.ifPresent)} is sent]`;
}

/** A place in words: `header:X-Id` is "header X-Id". */
function named(place: string, pair?: string): string {
  const [, kind = place, name = ""] = /^(\w+):(.*)$/s.exec(place) ?? [];
  if (pair !== undefined) return named(`${place}#${pair}`);
  const [plain = "", member] = kind === "header" ? name.split("#") : [name];
  if (member !== undefined) return `header ${plain} (${member}=)`;
  return plain === "" ? `the ${kind}` : `${kind} ${plain}`;
}

interface When {
  readonly at: string;
  readonly equals?: string | number | boolean;
  readonly startsWith?: string;
  readonly present?: boolean;
}

function condition({ at, equals, startsWith, present = true }: When): string {
  if (equals !== undefined) return `${named(at)} is ${JSON.stringify(equals)}`;
  if (startsWith !== undefined) return `${named(at)} begins with ${JSON.stringify(startsWith)}`;
  return `${named(at)} is ${present ? "sent" : "absent"}`;
}

/** The age in seconds beyond which a recorded attempt is refused; `undefined` if none is signed. */
export function replaySeconds(provider: ProviderDocument): number | undefined {
  return schemeOf(provider).replayProtection ? provider.timestamp?.toleranceSeconds : undefined;
}

const seconds = (count: number | undefined): string | undefined =>
  count === undefined ? undefined : `${count} s`;

function confirmed(
  { unconfirmed = [] }: ProviderDocument,
  fact: "deadlineSeconds" | "retries",
  text: string | undefined,
): string | undefined {
  return text !== undefined && unconfirmed.includes(fact) ? `${text}, not confirmed` : text;
}

function retriesText({ retries }: ProviderDocument): string | undefined {
  if (retries === "none")
    return "none: a failed handler loses the event unless the inbox stores it first";
  return retries && `for ${hoursText(retries.hours)}`;
}

/** Prints hours, or minutes if they are fewer than 60. */
export const hoursText = (hours: number): string =>
  hours < 1 ? `${Math.round(hours * 60)} min` : `${hours} h`;

/** Describes how events are distinguished, by the rules of the receiver's inbox. */
function idText(provider: ProviderDocument): string {
  const { id } = provider.event;
  if (id === undefined) return "none: the signed bytes' digest and the type";
  if (typeof id !== "string") return `${id.map((at) => named(at)).join(" and ")}, together`;
  return schemeOf(provider).covers(id)
    ? `${named(id)}, signed`
    : `${named(id)}, not signed: counts with the type`;
}

function typeText({ type, separator = "." }: ProviderDocument["event"]): string {
  const shown = (part: string | { readonly text: string }): string =>
    typeof part === "string" ? named(part) : JSON.stringify(part.text);
  const parts = typeof type === "string" || "text" in type ? [type] : type;
  return parts.map(shown).join(` + ${JSON.stringify(separator)} + `);
}

function categoryText({ category }: ProviderDocument["event"]): string | undefined {
  if (category === undefined) return undefined;
  if (category === "catalogue") return "by the list of events";
  return typeof category === "string"
    ? named(category)
    : `the type before ${JSON.stringify(category.before)}`;
}

function handshakes({ handshakes: list = [] }: ProviderDocument): string | undefined {
  if (list.length === 0) return undefined;
  return list
    .map(({ when, method = "POST", token }) => {
      const proof = token === undefined ? "signed" : "needs verifyToken";
      const cases = when.map(condition).join(" and ");
      return `${[method, cases].filter((text) => text !== "").join(", ")} (${proof})`;
    })
    .join("; ");
}

/** The events of the list, each type once. */
function eventsOf({ catalogue = [] }: ProviderDocument): ProviderSheet["events"] {
  return [...new Map(catalogue.map((row) => [row.type, row])).values()].map(
    ({ type, category, description }) => ({
      type,
      ...(category !== undefined && { category }),
      ...(description !== undefined && { description }),
    }),
  );
}

function mountOf(provider: ProviderDocument): string {
  const { name, catalogue, handshakes: greetings = [] } = provider;
  const constant = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_SECRET`;
  const { needsUrl, needsKey } = schemeOf(provider);
  const options = [
    `provider: ${constant},`,
    ...(needsKey ? ["keyOf: fetchKey,"] : [`secrets: [process.env["${variable}"]],`]),
    ...(needsUrl ? [`url: "https://example.com/webhooks/${name}",`] : []),
    ...(greetings.some(({ token }) => token !== undefined)
      ? [`verifyToken: process.env["${variable.replace("SECRET", "VERIFY_TOKEN")}"],`]
      : []),
    'fallback: (event) => console.log("no handler for", event.type),',
  ];
  const type = catalogue?.[0]?.type ?? "…";
  const method = greetings.some((one) => one.method === "GET") ? "all" : "post";
  return [
    'import { createReceiver } from "@countersign/receiver";',
    'import { toExpress } from "@countersign/receiver/express";',
    `import { ${constant} } from "@countersign/receiver/providers";`,
    "",
    "const receiver = createReceiver({",
    ...options.map((line) => `  ${line}`),
    `}).on("${type}", async (event) => {});`,
    "",
    "// Before any body parser such as express.json().",
    `app.${method}("/webhooks/${name}", toExpress(receiver));`,
  ].join("\n");
}
