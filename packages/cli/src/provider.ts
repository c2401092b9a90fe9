import { readFile } from "node:fs/promises";
import { checkProviderDocument } from "@countersign/schemas/provider-validator";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { schemeOf } from "@countersign/signatures";
import { secretFrom } from "./environment.ts";
import { Failure } from "./failure.ts";
import { didYouMean } from "./options.ts";
import type { Surroundings } from "./terminal.ts";

/**
 * Returns a provider document of the book by its name, or one by the path of its file.
 *
 * @throws {Failure} `CS_CLI_PROVIDER_UNUSABLE`: no such name and no such file, or the document is invalid; the message
 *   names the file and each wrong member.
 */
export async function loadProvider(nameOrFile: string): Promise<ProviderDocument> {
  const known = providersByName.get(nameOrFile);
  if (known !== undefined) return known;
  return checkedProvider(await readDocument(nameOrFile), nameOrFile);
}

/**
 * Checks a document that may come from a file.
 *
 * @param at The file, for messages.
 * @throws {Failure} `CS_CLI_PROVIDER_UNUSABLE`.
 */
export function checkedProvider(document: unknown, at: string): ProviderDocument {
  const validation = checkProviderDocument(document);
  if (!validation.ok) {
    const errors = validation.errors.map(
      ({ pointer, message }) => `  ${pointer || "/"} ${message}`,
    );
    throw unusable([`${at} is not a provider document:`, ...errors].join("\n"));
  }
  try {
    schemeOf(validation.value);
    return validation.value;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unusable(`${at}: ${cause.message}`, { cause });
  }
}

/** The failure of a secret that a scheme refuses. The cause names the provider and the place that shows the right one. */
export function badSecret(cause: TypeError): Failure {
  const message = cause.message.replace("secrets[0]", "COUNTERSIGN_SECRET");
  return new Failure("CS_CLI_SECRET_UNUSABLE", message, { cause });
}

/**
 * Checks that somebody other than the provider can sign as it does.
 *
 * @throws {Failure} `CS_CLI_PROVIDER_UNUSABLE`: each attempt names its key, which only the provider has.
 */
export function requireSignable({ name, title, signature: { keyFrom } }: ProviderDocument): void {
  if (keyFrom !== undefined)
    throw unusable(
      `attempts of ${name} cannot be made: each names its key (${keyFrom.at}), which only ${title} has`,
    );
}

/**
 * Reads the claims that a document leaves to the user from variables: `apiKey` is `COUNTERSIGN_API_KEY`.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: one is missing.
 */
export async function claimsFor(
  { signature: { claims = {} }, title }: ProviderDocument,
  env: Surroundings["env"],
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const claim of Object.values(claims)) {
    const name = typeof claim === "string" ? /^option:(.+)$/.exec(claim)?.[1] : undefined;
    if (name === undefined) continue;
    const variable = `COUNTERSIGN_${name.replaceAll(/(?=[A-Z])/g, "_").toUpperCase()}`;
    const value = await secretFrom(env, variable);
    if (value === undefined)
      throw new Failure(
        "CS_CLI_ENVIRONMENT_UNUSABLE",
        `missing ${variable}: ${title} signs it in each attempt`,
      );
    found[name] = value;
  }
  return found;
}

async function readDocument(file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const names = [...providersByName.keys()];
    const meant = didYouMean(file, names);
    throw unusable(
      `unknown provider or unreadable file ${JSON.stringify(file)}${meant}; providers: ${names.join(", ")}`,
      { cause },
    );
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_PROVIDER_UNUSABLE", message, options);
}
