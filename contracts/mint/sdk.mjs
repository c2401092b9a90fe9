// Loads vendors' SDKs, which can be resolved from this folder only.
import https from "node:https";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

/** Loads an SDK. */
export const sdk = (name) => import(name);

const require = createRequire(import.meta.url);

/** Loads a CommonJS SDK without the keys that it has cached. Each key that it fetches is `key`. */
export function sdkWithKey(name, key) {
  https.get = (_, found) => {
    found(Object.assign(Readable.from([key]), { statusCode: 200 }));
    return { on: () => {} };
  };
  delete require.cache[require.resolve(name)];
  return require(name);
}

/** Returns Shopify's SDK for an app with a secret. */
export async function shopifyOf(apiSecretKey) {
  const { ApiVersion, shopifyApi } = await sdk("@shopify/shopify-api");
  await sdk("@shopify/shopify-api/adapters/node");
  const app = { apiKey: "made-up", hostName: "app.example", scopes: [], isEmbeddedApp: false };
  const options = { apiVersion: ApiVersion.October26, logger: { level: 0 } };
  return shopifyApi({ ...app, ...options, apiSecretKey });
}
