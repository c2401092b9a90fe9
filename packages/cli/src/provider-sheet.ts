import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";

/** A provider's document in words, for the terminal and for the site. @param file Path of the user's own document; absent for a provider of the book. */
export function providerSheet(
  provider: ProviderDocument,
  file?: string,
): {
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** Code that mounts a receiver. */
  readonly mount: string;
  readonly traps: readonly string[];
  readonly events: NonNullable<ProviderDocument["catalogue"]>;
} {
  const { signature, secret, sdk, answer = {}, variants = [] } = provider;
  const { where, prefix } = secret ?? {};
  const body = answer.body === undefined ? "" : ` ${JSON.stringify(answer.body)}`;
  const facts: Readonly<Record<string, string | undefined>> = {
    documentation: provider.documentation,
    "delivery facts from": provider.sources?.join(", "),
    proof: `test vectors of ${sdk ? `${sdk.npm} ${sdk.version}` : "the documentation"}`,
    secret: where,
    "begins with": prefix === undefined ? undefined : [prefix].flat().join(" or "),
    algorithm: signature.algorithm,
    signed: signedText(provider),
    "signature in": [...new Set(signature.carrier.map(({ at, pair }) => named(at, pair)))].join(
      ", ",
    ),
    weak: signature.weak,
    ambiguous: signature.ambiguous,
    "replay bound": seconds(replaySeconds(provider)) ?? unboundedText(provider),
    "event id": idText(provider, provider.event),
    type: typeText(provider.event),
    ...Object.fromEntries(
      variants.map((one, index) => [`variant ${index + 1}`, variantText(provider, one)]),
    ),
    deadline: confirmed(provider, "deadlineSeconds", seconds(answer.deadlineSeconds)),
    answer: `${String(answer.success ?? "2xx")}${body}`,
    retries: confirmed(provider, "retries", retriesText(provider)),
  };
  return {
    facts: Object.entries(facts).flatMap(([label, text]) =>
      text === undefined ? [] : [[label, text] as const],
    ),
    mount: mountOf(provider, file),
    traps: provider.traps ?? [],
    // Each type once.
    events: [...new Map((provider.catalogue ?? []).map((row) => [row.type, row])).values()],
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

/** The age in seconds beyond which a recorded attempt is refused; `undefined` if none is signed. */
export function replaySeconds(provider: ProviderDocument): number | undefined {
  return schemeOf(provider).replayProtection ? provider.timestamp?.toleranceSeconds : undefined;
}

/** Without an id, a captured event runs again once its bytes count as another event. */
const unboundedText = ({ event: { id } }: ProviderDocument): string =>
  id === undefined ? "none" : "none but the inbox's retention";

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

type Event = ProviderDocument["event"];

/** Describes how events are distinguished, by the rules of the receiver's inbox. */
function idText(provider: ProviderDocument, { id }: Event): string {
  const { retries } = provider;
  if (id === undefined)
    return retries === "none"
      ? "none: each attempt is another event"
      : `none: equal bytes of one type are one event for ${hoursText(retries?.hours ?? 24)}`;
  if (typeof id !== "string") return `${id.map((at) => named(at)).join(" and ")}, together`;
  return schemeOf(provider).covers(id)
    ? `${named(id)}, signed`
    : `${named(id)}, not signed: counts with the type`;
}

function typeText({ type, separator = "." }: Event): string {
  const shown = (part: string | { readonly text: string }): string =>
    typeof part === "string" ? named(part) : JSON.stringify(part.text);
  const parts = typeof type === "string" || "text" in type ? [type] : type;
  return parts.map(shown).join(` + ${JSON.stringify(separator)} + `);
}

function variantText(
  provider: ProviderDocument,
  { when, event }: NonNullable<ProviderDocument["variants"]>[number],
): string {
  const conditions = [when].flat().map(({ at, equals, startsWith, present = true }) => {
    if (equals !== undefined) return `${named(at)} is ${JSON.stringify(equals)}`;
    if (startsWith !== undefined) return `${named(at)} begins with ${JSON.stringify(startsWith)}`;
    return `${named(at)} is ${present ? "" : "not "}sent`;
  });
  return `if ${conditions.join(" and ")}: type ${typeText(event)}; id ${idText(provider, event)}`;
}

function mountOf(provider: ProviderDocument, file: string | undefined): string {
  const { name, signature, catalogue, handshakes: greetings = [], retries, answer = {} } = provider;
  const constant = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const prefix = name.toUpperCase().replaceAll("-", "_");
  const { needsUrl, needsKey } = schemeOf(provider);
  const claims = Object.values(signature.claims ?? {}).flatMap((claim) => {
    if (typeof claim !== "string" || !claim.startsWith("option:")) return [];
    const option = claim.slice("option:".length);
    const variable = `${prefix}_${option.replaceAll(/(?=[A-Z])/g, "_").toUpperCase()}`;
    return `${option}: process.env["${variable}"] ?? ""`;
  });
  // A sender that waits for no handler, or sends once.
  const isStoredFirst = retries === "none" || (answer.deadlineSeconds ?? Infinity) <= 3;
  const options = [
    `provider: ${constant},`,
    ...(needsKey ? ["keyOf,"] : []),
    ...(needsKey && !signature.signed?.includes("secret")
      ? []
      : [`secrets: [process.env["${prefix}_WEBHOOK_SECRET"]],`]),
    ...(claims.length > 0 ? [`claims: { ${claims.join(", ")} },`] : []),
    ...(needsUrl ? [`url: "https://example.com/webhooks/${name}",`] : []),
    ...(greetings.some(({ token }) => token !== undefined)
      ? [`verifyToken: process.env["${prefix}_WEBHOOK_VERIFY_TOKEN"],`]
      : []),
    ...(isStoredFirst ? ['inbox: sqliteInbox("webhooks.db"),'] : []),
    ...(isStoredFirst && answer.reply !== undefined
      ? [`// Handlers that answer with ${answer.reply} need a receiver with "after-handler".`]
      : []),
    ...(isStoredFirst ? ['acknowledge: "after-store",'] : []),
    'fallback: (event) => console.log("no handler for", event.type),',
  ];
  const type = catalogue?.[0]?.type ?? "…";
  const method = greetings.some((one) => one.method === "GET") ? "all" : "post";
  return [
    'import { createReceiver } from "@countersign/receiver";',
    'import { toExpress } from "@countersign/receiver/express";',
    file === undefined
      ? `import { ${constant} } from "@countersign/receiver/providers";`
      : 'import { readFileSync } from "node:fs";',
    ...(isStoredFirst ? ['import { sqliteInbox } from "@countersign/receiver/sqlite";'] : []),
    ...(needsKey ? ['import { keyOf } from "./key-of.ts"; // as in the guide "Keys by name"'] : []),
    "",
    ...(file === undefined
      ? []
      : [`const ${constant} = JSON.parse(readFileSync(${JSON.stringify(file)}, "utf8"));`]),
    "const receiver = createReceiver({",
    ...options.map((line) => `  ${line}`),
    `}).on("${type}", async (event) => {});`,
    ...(isStoredFirst ? ["receiver.start();"] : []),
    "",
    "// Before any body parser such as express.json().",
    `app.${method}("/webhooks/${name}", toExpress(receiver));`,
  ].join("\n");
}
