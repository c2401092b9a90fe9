import { readFileSync } from "node:fs";

type Certificate = "authority" | "genuine" | "expired" | "wrongHost" | "selfSigned";

/**
 * Made once by openssl, all of one key that guards nothing. All but the self-signed one are signed by the authority,
 * and all but `wrongHost` are for `localhost`.
 */
export const certificates = JSON.parse(
  readFileSync(new URL("certificates.json", import.meta.url), "utf8"),
  // Content of the file.
) as Readonly<Record<Certificate | "key", string>>;
export const { key } = certificates;
