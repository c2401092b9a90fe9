import type { ProviderDocument } from "./generated/provider-types.ts";
import * as providers from "./generated/providers.ts";

/** The providers by their names. A Map: no name is found in an object's prototype. */
export const providersByName: ReadonlyMap<string, ProviderDocument> = new Map(
  Object.values(providers).map((provider) => [provider.name, provider]),
);
