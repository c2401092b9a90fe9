import { dirname, join } from "node:path";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { validateProviderDocument } from "@countersign/schemas/provider-validator";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { schemeOf } from "@countersign/signatures";
import { requiredFrom } from "./environment.ts";
import { badArgument, didYouMean, Failure, notA, readJson } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** Returns a provider document of the book by its name, or one by the path of its file. */
export async function loadProvider(nameOrFile: string): Promise<ProviderDocument> {
  const known = providersByName.get(nameOrFile);
  if (known !== undefined) return known;
  const document = await readJson(nameOrFile, "CS_CLI_PROVIDER_UNUSABLE", () => {
    const hint = didYouMean(nameOrFile, [...providersByName.keys()]);
    const other = "; list them with: countersign providers";
    return `unknown provider or unreadable file ${JSON.stringify(nameOrFile)}${hint || other}`;
  });
  return checkedProvider(document, nameOrFile);
}

/** Checks a document. @param at Its file. @throws {Failure} `CS_CLI_PROVIDER_UNUSABLE`. */
function checkedProvider(document: unknown, at: string): ProviderDocument {
  const validation = validateProviderDocument(document);
  if (!validation.ok)
    throw notA("CS_CLI_PROVIDER_UNUSABLE", `${at} is not a provider document`, validation.errors);
  try {
    schemeOf(validation.value);
    return validation.value;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unusable(`${at}: ${cause.message}`, cause);
  }
}

/** Checks a secret by a provider's scheme. Returns warnings; a failure names the place that shows the right one. */
export function checkSecret(
  provider: ProviderDocument,
  secret: string,
  side: "sign" | "verify",
): readonly string[] {
  try {
    return schemeOf(provider)
      .check([secret], side)
      .flatMap(({ warning }) => warning ?? [])
      .map((warning) => warning.replace("secrets[0]", "COUNTERSIGN_SECRET"));
  } catch (cause) {
    throw cause instanceof TypeError ? badSecret(cause) : cause;
  }
}

/** The failure of a secret that a scheme refuses. */
export function badSecret(cause: TypeError): Failure {
  const message = cause.message.replace("secrets[0]", "COUNTERSIGN_SECRET");
  return new Failure("CS_CLI_SECRET_UNUSABLE", message, cause);
}

/** Checks that somebody other than the provider can sign as it does. */
export function requireSignable({ name, title, signature: { keyFrom } }: ProviderDocument): void {
  if (keyFrom !== undefined)
    throw unusable(
      `attempts of ${name} cannot be made: each names its key (${keyFrom.at}), which only ${title} has`,
    );
}

/** Reads the claims that a document leaves to the user from variables: `apiKey` is `COUNTERSIGN_API_KEY`. */
export async function claimsFor(
  { signature: { claims = {} }, title }: ProviderDocument,
  env: Surroundings["env"],
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const claim of Object.values(claims)) {
    const name = typeof claim === "string" ? /^option:(.+)$/.exec(claim)?.[1] : undefined;
    if (name === undefined) continue;
    const variable = `COUNTERSIGN_${name.replaceAll(/(?=[A-Z])/g, "_").toUpperCase()}`;
    found[name] = await requiredFrom(env, variable, `${title} signs it in each attempt`);
  }
  return found;
}

const unusable = (message: string, cause?: unknown): Failure =>
  new Failure("CS_CLI_PROVIDER_UNUSABLE", message, cause);

/**
 * Returns a built-in profile by its name, or a document by its path. What the document leaves out, except its name and
 * provider, is as in the standard profile. Its provider is a name, the path of a document next to it, or the document.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const document = await readJson(nameOrFile, "CS_CLI_PROFILE_UNUSABLE", () => {
    const names = Object.keys(profiles);
    const known = `profiles: ${names.join(", ")}${didYouMean(nameOrFile, names)}`;
    return `unknown profile or unreadable file ${nameOrFile}; ${known}`;
  });
  const { name: _, provider: __, ...defaults } = profiles.standard;
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  const whole = isObject ? { ...defaults, ...document } : document;
  const validation = validateProfile(whole);
  if (!validation.ok)
    throw notA("CS_CLI_PROFILE_UNUSABLE", `${nameOrFile} is not a profile`, validation.errors);
  const profile = validation.value;
  // Members that the document leaves out are those of the standard profile, `sending` included.
  const provider = {
    sending: sendingProviderOf(profiles.standard).sending,
    ...(await providerAt(profile.provider, nameOrFile)),
  };
  const sent = { ...profile, provider };
  try {
    sendingProviderOf(sent);
    return sent;
  } catch (cause) {
    // The provider does not say how its events are written and sent.
    if (!(cause instanceof TypeError)) throw cause;
    throw unusable(cause.message, cause);
  }
}

/** Returns the provider of `--provider`, if it is given. */
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

/** @param provider A name, a path next to the profile's file, or a document. */
async function providerAt(provider: Profile["provider"], file: string): Promise<ProviderDocument> {
  if (typeof provider !== "string") return checkedProvider(provider, `${file}#/provider`);
  return loadProvider(providersByName.has(provider) ? provider : join(dirname(file), provider));
}
