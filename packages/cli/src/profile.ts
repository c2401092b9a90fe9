import { readFile } from "node:fs/promises";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { didYouMean } from "./options.ts";
import { Failure } from "./failure.ts";
import { checkedIssuer, type TokenIssuer } from "@countersign/service/internal";

/**
 * A built-in profile by its name, or a profile document by its path.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: no such name and no such file, or the document is not a
 *   profile; the message has every error with its JSON Pointer.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const validation = validateProfile(await readDocument(nameOrFile));
  if (validation.ok) return validation.value;
  const errors = validation.errors.map(({ pointer, message }) => `  ${pointer || "/"} ${message}`);
  throw unusable([`${nameOrFile} is not a profile:`, ...errors].join("\n"));
}

async function readDocument(file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const names = Object.keys(profiles);
    const known = `profiles: ${names.join(", ")}${didYouMean(file, names)}`;
    throw unusable(`there is no profile and no readable file ${file}; ${known}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_PROFILE_UNUSABLE", message, options);
}

/**
 * The description of an outside token issuer, from its file.
 *
 * @throws {Failure} `CS_CLI_ISSUER_UNUSABLE`: the file cannot be read, is not JSON, or describes none.
 */
export async function loadIssuer(file: string): Promise<TokenIssuer> {
  try {
    // `checkedIssuer` judges each member.
    const issuer = JSON.parse(await readFile(file, "utf8")) as TokenIssuer;
    checkedIssuer(issuer);
    return issuer;
  } catch (cause) {
    const why = cause instanceof TypeError ? `: ${cause.message}` : "";
    throw new Failure("CS_CLI_ISSUER_UNUSABLE", `${file} describes no token issuer${why}`, {
      cause,
    });
  }
}
