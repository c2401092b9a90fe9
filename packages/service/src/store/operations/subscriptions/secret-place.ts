import type { SecretPlace } from "../../../secrets/vault.ts";

/** Where the secret of a subscription is sealed for. */
export function secretPlace(subscriptionKey: string): SecretPlace {
  return { table: "subscriptions", row: subscriptionKey };
}
