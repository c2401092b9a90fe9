import { describedHmac } from "./described-hmac.ts";
import type { HmacDescription } from "./hmac-description.ts";
import type { SignatureScheme } from "./scheme.ts";
import { standardWebhooks } from "./standard-webhooks.ts";

/** A scheme as a profile states it: Standard Webhooks by name, any other as data. */
export type StatedScheme =
  | { readonly scheme: "standard-webhooks" }
  | { readonly scheme: "hmac"; readonly description: HmacDescription };

/**
 * The scheme that is stated.
 *
 * @throws {TypeError} The description is unusable; the message names the member.
 */
export function schemeOf(stated: StatedScheme): SignatureScheme {
  switch (stated.scheme) {
    case "standard-webhooks":
      return standardWebhooks();
    case "hmac":
      return describedHmac(stated.description);
    default:
      return stated satisfies never;
  }
}
