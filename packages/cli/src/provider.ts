import { readFile } from "node:fs/promises";
import { checkProviderDocument } from "@countersign/schemas/provider-validator";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { schemeOf } from "@countersign/signatures";
import { Failure } from "./failure.ts";
import { didYouMean } from "./options.ts";

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
