import { referencePage } from "@countersign/schemas";
import { type ProviderDocument, reference } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { explain } from "@countersign/signatures/explain";
import { define } from "../command.ts";
import { secretFrom, signingSecret } from "../environment.ts";
import { badArgument } from "../failure.ts";
import * as option from "../options.ts";
import { claimsFor, loadProvider } from "../provider.ts";
import { readRequest } from "../recorded-request.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl } from "../verify/arguments.ts";

const help = `
Examples:
  countersign explain --provider stripe --file request.http
  countersign explain --provider github --file recorded.har --entry 3
  pbpaste | countersign explain --provider slack --file - --at 2026-02-11T10:00:00Z

FILE is a raw HTTP request (request line, headers, blank line, body) or a HAR file from a browser or proxy; "-" is standard
input. The body must be the bytes that arrived. One newline at the end that Content-Length does not count is ignored.

Prints each cause with its fix. Exits with 0 if the attempt verifies, 1 if it does not, and 2 if the
command could not run.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   secret of the receiver; prompted for at a terminal
  COUNTERSIGN_KEY      public key or certificate that the attempt names, for providers such as PayPal`;

export const definition = define({
  options: {
    file: option.required(option.text("<file>", "recorded request: raw HTTP, HAR, or -")),
    provider: option.provider,
    at: option.time("arrival time (default: HAR's, or now)"),
    url: option.text("<url>", "public URL of the receiver, if the provider signs it"),
    entry: option.integer("<number>", "HAR entry (default: first signed one)", [1, 999_999]),
    json: option.json,
  },
  help,
  run: async ({ file, at, entry, json, ...options }, surroundings) => {
    const { terminal } = surroundings;
    const document =
      options.provider === undefined ? reference : await loadProvider(options.provider);
    const [carrier] = document.signature.carrier;
    const choice = { entry, signature: headerOf(carrier?.at) };
    const request = await readRequest(file, choice, surroundings);
    const { headers, method } = request;
    const sent = { headers, method, url: urlOf(document, request.url, options.url) };
    const { secrets, ...keys } = await keysFor(document, surroundings);
    const named = { ...keys, now: at ?? request.at ?? Date.now() };
    const explanations = request.bodies.map((body) =>
      explain({ ...sent, body }, secrets, document, named),
    );
    const causes = explanations.find((found) => found.length === 0) ?? explanations[0] ?? [];
    const found = causes.map((one) => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", "COUNTERSIGN_SECRET"),
      page: referencePage("codes", one.cause),
    }));
    const verified = found.length === 0;
    if (json === true) terminal.json({ verified, explanations: found });
    else if (verified) terminal.out("verified: signature, body and timestamp are right", "good");
    else
      for (const { cause, sentence, certain, fix, page } of found) {
        const line = `${certain ? "" : "probably "}${cause}: ${sentence}`;
        terminal.out(line, certain ? "bad" : "mild");
        for (const below of [fix, page]) terminal.out(`  ${below}`);
        if (cause === "header-missing" && options.provider === undefined)
          terminal.out("  Without --provider the request is read as one of the payment interface.");
      }
    return verified;
  },
});

/** Reads the secrets, and the key or claims that the attempt or the document leaves to the user. */
async function keysFor(document: ProviderDocument, surroundings: Surroundings) {
  const claims = await claimsFor(document, surroundings.env);
  if (!schemeOf(document).needsKey) return { secrets: [await signingSecret(surroundings)], claims };
  const key = await secretFrom(surroundings.env, "COUNTERSIGN_KEY");
  const { keyFrom, signed = [] } = document.signature;
  if (key === undefined)
    throw badArgument(
      `${document.title} signs with the key that ${keyFrom?.at ?? "the attempt"} names: put it into COUNTERSIGN_KEY or the file of COUNTERSIGN_KEY_FILE`,
    );
  const secrets = signed.includes("secret") ? [await signingSecret(surroundings)] : [];
  return { secrets, key, claims };
}

/** The URL that the sender sends to, with the query of the recorded request. */
function urlOf(
  document: ProviderDocument,
  recorded: string | undefined,
  given: string | undefined,
): string | undefined {
  if (given !== undefined) {
    const url = targetUrl(given, "--url");
    url.search = /\?[^#]*/.exec(recorded ?? "")?.[0] ?? url.search;
    return url.href;
  }
  if (schemeOf(document).needsUrl && !/^https?:/.test(recorded ?? ""))
    throw badArgument(`${document.title} signs the public URL of the receiver: name it with --url`);
  return recorded;
}

/** The header of a place such as `header:X-Signature#v1`. */
const headerOf = (place = ""): string => /^header:([^#]+)/.exec(place)?.[1] ?? "";
