import { decode } from "./algorithms.ts";
import { importPrivateKey, publicKeyBytes } from "./ed25519.ts";
import type { Cause, Mistake } from "./explain-causes.ts";
import { headerRecord } from "./headers.ts";
import { parsePlace } from "./places.ts";
import type { Carrier, Provider, SignatureDocument } from "./provider.ts";
import type { Attempt } from "./scheme.ts";
import type { Secret } from "./secret.ts";

/** What the sender may have used instead, and the mistake that made the difference. */
export interface Variant<T> {
  readonly value: T;
  /** Absent for the value as it is. */
  readonly mistake?: Mistake;
}

/** Lists the secrets that usual mistakes make of one, the configured one first. */
export function secretVariants(secret: Secret, at: string): readonly Variant<Secret>[] {
  const variants: Variant<Secret>[] = [{ value: secret }];
  const text = typeof secret === "string" ? secret : secret?.raw;
  if (typeof text !== "string") return variants;
  const add = (cause: Cause, statement: string, value: Secret): void =>
    void variants.push({ value, mistake: { cause, statement } });

  const clean = text
    .trim()
    .replaceAll(/^["'`]|["'`]$/g, "")
    .trim();
  if (clean !== text) {
    if (/^\s*["'`]/.test(text)) add("secret-quotes", `${at} is in quotes`, clean);
    else if (/[\r\n]$/.test(text)) add("secret-newline", `${at} ends with a newline`, clean);
    else add("secret-whitespace", `${at} contains whitespace or a byte order mark`, clean);
  }
  const publicKey = publicKeyOf(clean, at);
  if (publicKey !== undefined)
    add("secret-private", `${at} is the sender's private key`, publicKey);
  const bare = clean.replace(/^(?:whsec_|raw:|[a-z]+_[a-z]+_)/, "");
  const bytes = (own: string): Secret => ({ raw: Buffer.from(own) });
  add("secret-newline", "the sender's own secret ends with a newline", bytes(`${clean}\n`));
  add("secret-quotes", "the sender's own secret is in quotes", bytes(`"${clean}"`));
  const use = `uses the text of ${at}`;
  add("secret-encoding", `the sender ${use} as it is, with its prefix`, bytes(clean));
  add("secret-encoding", `the sender ${use} after its prefix`, bytes(bare));
  for (const encoding of ["base64", "base64url", "hex"] as const) {
    const raw = decode(encoding === "hex" ? bare.toLowerCase() : bare, encoding);
    const name = encoding === "hex" ? "hexadecimal" : encoding;
    if (raw !== undefined && raw.length > 0)
      add("secret-encoding", `the sender decodes ${at} from ${name}`, { raw });
  }
  return variants;
}

/** Returns the public key of a private one. */
function publicKeyOf(text: string, at: string): string | undefined {
  const bytes = text.startsWith("whsk_") ? decode(text.slice(5), "base64") : undefined;
  try {
    const key = bytes && publicKeyBytes(importPrivateKey(bytes, at));
    return key && `whpk_${Buffer.from(key).toString("base64")}`;
  } catch {
    return undefined;
  }
}

/** Lists attempts whose URL, id or encoding of the signature is another one. */
export function attemptVariants(
  attempt: Attempt,
  { id, signature }: Provider,
): readonly Variant<Partial<Attempt>>[] {
  const headers = headerRecord(attempt.headers);
  return [
    ...urlVariants(attempt.url, headers),
    ...(id === undefined ? [] : idVariants(headers, attempt.body, parsePlace(id.at).name)),
    ...signature.carrier.flatMap((carrier) => encodingVariants(headers, carrier, signature)),
  ];
}

type Headers = Readonly<Record<string, string>>;

function urlVariants(
  url: string | undefined,
  { host: own, "x-forwarded-host": forwarded }: Headers,
): readonly Variant<Partial<Attempt>>[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { origin, host, hostname, pathname, search } = new URL(url);
  const other = url.startsWith("https:") ? "http:" : "https:";
  const hosts = [own, forwarded].filter((one) => one !== undefined);
  const candidates: readonly (readonly [string, string])[] = [
    ["its scheme", url.replace(/^https?:/, other)],
    ["its trailing slash", origin + pathname.replace(/\/$/, "") + search],
    ["its trailing slash", `${origin}${pathname.replace(/\/?$/, "/")}${search}`],
    ["its port", url.replace(host, hostname)],
    ["its port", url.replace(host, `${hostname}:443`)],
    ["its port", url.replace(host, `${hostname}:80`)],
    ["its query", origin + pathname],
    ...hosts.flatMap((name) => [
      ["its host", url.replace(host, name)] as const,
      ["its scheme and host", url.replace(/^https?:/, other).replace(host, name)] as const,
    ]),
  ];
  return candidates
    .filter(([, signed]) => signed !== url)
    .map(([what, signed]) => ({
      value: { url: signed },
      mistake: {
        cause: "url-different",
        statement: `the sender signed another URL, ${signed}: ${what} differs from ${url}`,
      },
    }));
}

/** Ids in the body, in other headers, or in another case. */
function idVariants(
  headers: Headers,
  body: Uint8Array,
  name: string,
): readonly Variant<Partial<Attempt>>[] {
  const { [name]: sent = "" } = headers;
  const inBody = Buffer.from(body.subarray(0, 65_536))
    .toString()
    .matchAll(/(?<=")[A-Za-z0-9_-]{1,256}(?=")/g);
  const inHeaders = Object.values(headers);
  const ids = [sent.trim(), sent.toLowerCase(), sent.toUpperCase(), ...inHeaders];
  return [...new Set([...ids, ...Array.from(inBody, ([text]) => text).slice(0, 100)])]
    .filter((id) => id !== sent && id !== "")
    .map((id) => ({
      value: { headers: { ...headers, [name]: id } },
      mistake: {
        cause: "id-changed",
        statement: `the id was changed: the sender signed ${id}, and ${name} is ${sent}`,
      },
    }));
}

/** The signature in other encodings, and without its prefix. */
function encodingVariants(
  headers: Headers,
  { at, prefix = "" }: Carrier,
  { encoding }: SignatureDocument,
): readonly Variant<Partial<Attempt>>[] {
  const { kind, name } = parsePlace(at);
  const sent = kind === "header" ? headers[name] : undefined;
  if (sent === undefined || encoding === undefined) return [];
  const encoded = (["hex", "base64", "base64url"] as const).map((other) =>
    sent.replaceAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{26,}={0,2}/g, (text) =>
      Buffer.from(text, other).toString(encoding),
    ),
  );
  const form = encoding + (prefix === "" ? "" : ` after ${prefix}`);
  return [...encoded, ...encoded.map((text) => prefix + text)]
    .filter((text) => text !== sent)
    .map((text) => ({
      value: { headers: { ...headers, [name]: text } },
      mistake: {
        cause: "signature-encoding",
        statement: `the signature in ${name} is not written as the scheme says (${form})`,
      },
    }));
}
