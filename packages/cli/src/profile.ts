import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { senderOf } from "@countersign/schemas/provider-of";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { didYouMean } from "./options.ts";
import { badArgument, Failure } from "./failure.ts";
import { checkedProvider, loadProvider } from "./provider.ts";

/** Members that have no default. */
const OWN = new Set(["name", "provider", "payments"]);

/**
 * Returns a built-in profile by its name, or a profile document by its path. What the document leaves out, except
 * its name, provider and payments, is as in the standard profile. Its provider is the name of a built-in one, the
 * path of a document next to it, or the document itself. `openapi` is the path of the document of the events: it adds
 * types, schemas and samples to the provider's catalogue.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: no such name and no such file, or the document is not a
 *   profile; the message has every error with its JSON Pointer. `CS_CLI_PROVIDER_UNUSABLE`: its provider is invalid.
 * @throws {DocumentError} The document of the events cannot be used.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const document = await readProfile(nameOrFile);
  const { openapi, ...own } = isObject(document) ? document : { openapi: undefined };
  const defaults = Object.entries(profiles.standard).filter(([member]) => !OWN.has(member));
  const whole = isObject(document) ? { ...Object.fromEntries(defaults), ...own } : document;
  const validation = validateProfile(whole);
  if (!validation.ok) {
    const errors = validation.errors.map(
      ({ pointer, message }) => `  ${pointer || "/"} ${message}`,
    );
    throw unusable([`${nameOrFile} is not a profile:`, ...errors].join("\n"));
  }
  const profile = validation.value;
  // What the document leaves out is as in the standard profile, also how events are sent.
  const provider = {
    sending: senderOf(profiles.standard).sending,
    ...(await providerAt(profile.provider, nameOrFile)),
  };
  if (openapi === undefined) return sent({ ...profile, provider });
  if (typeof openapi !== "string")
    throw unusable(`${nameOrFile} is not a profile:\n  /openapi must be the path of a document`);
  // Few profiles have a document, and what reads one takes long to load.
  const { readDocument, withEvents } = await import("./documents.ts");
  const events = await readDocument(join(dirname(nameOrFile), openapi));
  return sent({ ...profile, provider: withEvents(provider, events, true) });
}

/**
 * Returns the provider of `--provider`, if it is given.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: a profile is given too. `CS_CLI_PROVIDER_UNUSABLE`.
 */
export async function chosenProvider({
  profile,
  provider,
}: {
  readonly profile: string;
  readonly provider?: string | undefined;
}): Promise<ProviderDocument | undefined> {
  if (provider === undefined) return undefined;
  if (profile !== "standard") throw badArgument("--provider cannot be combined with --profile");
  return loadProvider(provider);
}

/** @throws {Failure} The profile's provider does not say how its events are written and sent. */
function sent(profile: Profile): Profile {
  try {
    senderOf(profile);
    return profile;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Failure("CS_CLI_PROVIDER_UNUSABLE", cause.message, { cause });
  }
}

/** @param provider A name, a path next to the profile's file, or a document. */
async function providerAt(provider: Profile["provider"], file: string): Promise<ProviderDocument> {
  if (typeof provider !== "string") return checkedProvider(provider, `${file}#/provider`);
  return loadProvider(providersByName.has(provider) ? provider : join(dirname(file), provider));
}

async function readProfile(file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const names = Object.keys(profiles);
    const known = `profiles: ${names.join(", ")}${didYouMean(file, names)}`;
    throw unusable(`unknown profile or unreadable file ${file}; ${known}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, { cause });
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_PROFILE_UNUSABLE", message, options);
}
