import { type Command, InvalidArgumentError } from "commander";
import { referencePage } from "@countersign/schemas";
import { providerOf } from "@countersign/schemas/provider-of";
import { explain, type Explanation } from "@countersign/signatures/explain";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { secretFrom, signingSecret } from "../environment.ts";
import { badArgument } from "../failure.ts";
import { targetUrl } from "../verify/arguments.ts";
import { chosenProvider, loadProfile } from "../profile.ts";
import { integer, profileOption, providerOption } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import { readRequest } from "../recorded-request.ts";
import type { Surroundings } from "../terminal.ts";

const help = `
FILE is a raw HTTP request (request line, headers, blank line, body) or a HAR file from a browser or proxy.
The body must be the bytes that arrived. One newline at the end of FILE that Content-Length does not count
is ignored.

Prints each cause with its fix. Exits with 0 if the attempt verifies, 1 if it does not, and 2 if the
command could not run.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET         secret of the receiver; prompted for at a terminal
  COUNTERSIGN_OTHER_SECRET   secret of another endpoint that may have signed (optional)

Examples:
  countersign explain --file request.http
  countersign explain --file recorded.har --entry 3
  countersign explain --file request.http --provider stripe
  countersign explain --file request.http --at 2026-02-11T10:00:00Z --json`;

interface ExplainOptions {
  readonly file: string;
  readonly profile: string;
  readonly provider: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  readonly url: string | undefined;
  readonly entry: number | undefined;
  readonly json: boolean | undefined;
}

interface ExplanationWithPage extends Explanation {
  /** Address of the cause in the reference. */
  readonly page: string;
}

/** `countersign explain`. */
export function declareExplain(command: Command, surroundings: Surroundings): void {
  command
    .requiredOption("--file <file>", "recorded request: raw HTTP or HAR")
    .addOption(profileOption())
    .addOption(providerOption())
    .option("--at <time>", "arrival time, ISO 8601 (default: HAR's, or now)", time)
    .option("--url <url>", "public URL of the receiver, if the provider signs it")
    .option("--entry <number>", "HAR entry (default: first signed one)", integer(1, 999_999))
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (options: ExplainOptions) => {
      if (!(await explainFile(options, surroundings))) surroundings.unmet();
    });
}

function time(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError("expected a time such as 2026-02-11T10:00:00Z.");
}

/** @returns True if the attempt verifies. */
async function explainFile(
  { file, at, entry, json, ...options }: ExplainOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { terminal, env } = surroundings;
  const provider =
    (await chosenProvider(options)) ?? providerOf(await loadProfile(options.profile));
  const carriers = provider.signature.carrier.map(({ at: place }) => place);
  const request = await readRequest(file, { entry, signature: headerOf(carriers[0]) });
  const { headers, method } = request;
  const sent = { headers, method, url: urlOf(provider, request.url, options.url) };
  const secret = await signingSecret(surroundings);
  const other = await secretFrom(env, "COUNTERSIGN_OTHER_SECRET");
  const explanations = request.bodies.map((body) =>
    explain({ ...sent, body }, [secret], provider, {
      now: at ?? request.at ?? Date.now(),
      ...(other === undefined ? {} : { otherSecrets: { COUNTERSIGN_OTHER_SECRET: other } }),
    }),
  );
  const found = (explanations.find((causes) => causes.length === 0) ?? explanations[0] ?? []).map(
    (one): ExplanationWithPage => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", "COUNTERSIGN_SECRET"),
      page: referencePage("codes", one.cause),
    }),
  );
  if (json === true)
    terminal.out(printableJson({ verified: found.length === 0, explanations: found }));
  else {
    if (found.length === 0)
      terminal.out("verified: signature, body and timestamp are right", "good");
    for (const one of found) {
      const doubt = one.certain ? "" : "probably ";
      terminal.out(
        printable(`${doubt}${one.cause}: ${one.sentence}`),
        one.certain ? "bad" : "mild",
      );
      for (const below of [one.fix, one.page]) terminal.out(printable(`  ${below}`));
    }
  }
  return found.length === 0;
}

/** The URL that the sender was told to send to, with the query of the recorded request. */
function urlOf(
  provider: ProviderDocument,
  recorded: string | undefined,
  given: string | undefined,
): string | undefined {
  if (given !== undefined) {
    const url = targetUrl(given, "--url");
    url.search = /\?[^#]*/.exec(recorded ?? "")?.[0] ?? url.search;
    return url.href;
  }
  if (schemeOf(provider).needsUrl && !/^https?:/.test(recorded ?? ""))
    throw badArgument(`${provider.title} signs the public URL of the receiver: name it with --url`);
  return recorded;
}

/** The header of a place such as `header:X-Signature#v1`. */
const headerOf = (place = ""): string => /^header:([^#]+)/.exec(place)?.[1] ?? "";
