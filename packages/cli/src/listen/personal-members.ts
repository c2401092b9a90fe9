import { isNumber, readDigits } from "../set-values.ts";

/**
 * Names of members whose values identify a person or are secrets, in lower case without separators. A name that is
 * masked needlessly costs a click; one that is not masked is on a screen that others may see.
 */
const PERSONAL =
  /name$|mail|phone|mobile|address|street|^line[123]$|postal|^zip|^city$|birth|^dob$|ssn|iban|^ip$|card|last4|login|passport|taxid|vat|token|secret|password|signature/;

const MASK = "•••";

/** Masks personal members of a body: of JSON, or of a form. A body in another form is only measured. */
export function masked(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  if (text === "") return "";
  try {
    return JSON.stringify(maskedValue(readDigits(text), false));
  } catch {
    return /^[\w.~%+-]+=[^\s]*$/.test(text)
      ? maskedQuery(text, PERSONAL)
      : `(${String(body.length)} bytes that are neither JSON nor a form)`;
  }
}

/** Masks the secrets in the query of a path, such as the token of a handshake. */
export function maskedPath(path: string): string {
  const [before = "", query] = path.split("?", 2);
  return query === undefined
    ? path
    : `${before}?${maskedQuery(query, /token|secret|password|key/)}`;
}

function maskedValue(value: unknown, isPersonal: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, isPersonal));
  if (typeof value === "string" || isNumber(value)) return isPersonal ? MASK : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      maskedValue(one, isPersonal || PERSONAL.test(plain(name))),
    ]),
  );
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const maskedQuery = (text: string, names: RegExp): string =>
  text
    .split("&")
    .map((pair) => {
      const [name = ""] = pair.split("=", 1);
      return names.test(plain(decoded(name))) ? `${name}=${MASK}` : pair;
    })
    .join("&");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
