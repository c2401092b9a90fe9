import { decode } from "./algorithms.ts";
import { importPrivateKey, publicKeyBytes } from "./ed25519.ts";
import type { Mistake } from "./explain-causes.ts";
import { headerRecord } from "./headers.ts";
import { parsePlace } from "./places.ts";
import type { Provider } from "./provider.ts";
import type { Attempt } from "./scheme.ts";
import { type PlainSecret, SealedSecret, type Secret } from "./secret.ts";

/** What the sender may have used instead, and the mistake that made the difference. */
export interface Variant<T> {
  readonly value: T;
  /** Absent for the value as it is. */
  readonly mistake?: Mistake;
}

/** Lists the secrets that usual mistakes make of one, the configured one first. */
export function secretVariants(secret: Secret, at: string): readonly Variant<PlainSecret>[] {
  const plain = SealedSecret.open(secret);
  const variants: Variant<PlainSecret>[] = [{ value: plain }];
  const text = typeof plain === "string" ? plain : plain?.raw;
  if (typeof text !== "string") return variants;
  const add = (cause: Mistake["cause"], statement: string, value: PlainSecret): void =>
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
  const bytes = (own: string): PlainSecret => ({ raw: Buffer.from(own) });
  add("secret-newline", "the sender's own secret ends with a newline", bytes(`${clean}\n`));
  add("secret-quotes", "the sender's own secret is in quotes", bytes(`"${clean}"`));
  const use = `uses the text of ${at}`;
  add("secret-encoding", `the sender ${use} as it is, with its prefix`, bytes(clean));
  add("secret-encoding", `the sender ${use} after its prefix`, bytes(bare));
  for (const [encoding, encoded] of [
    ["base64", bare],
    ["base64url", bare],
    ["hex", bare.toLowerCase()],
  ] as const) {
    const raw = decode(encoded, encoding);
    if (raw !== undefined && raw.length > 0)
      add(
        "secret-encoding",
        `the sender decodes ${at} from ${encoding.replace("hex", "hexadecimal")}`,
        { raw },
      );
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
  provider: Provider,
): readonly Variant<Partial<Attempt>>[] {
  return [
    ...urlVariants(attempt),
    ...(provider.id === undefined ? [] : idVariants(attempt, provider.id.at)),
    ...encodingVariants(attempt, provider),
  ];
}

function urlVariants({ url, headers }: Attempt): readonly Variant<Partial<Attempt>>[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { origin, host, hostname, pathname, search } = new URL(url);
  const other = url.startsWith("https:") ? "http:" : "https:";
  const { host: own, "x-forwarded-host": forwarded } = headerRecord(headers);
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
function idVariants({ headers, body }: Attempt, at: string): readonly Variant<Partial<Attempt>>[] {
  const { name } = parsePlace(at);
  const { [name]: sent = "" } = headerRecord(headers);
  const inBody = Buffer.from(body.subarray(0, 65_536))
    .toString()
    .matchAll(/(?<=")[A-Za-z0-9_-]{1,256}(?=")/g);
  const inHeaders = Object.values(headerRecord(headers));
  const ids = [sent.trim(), sent.toLowerCase(), sent.toUpperCase(), ...inHeaders];
  return [...new Set([...ids, ...Array.from(inBody, ([text]) => text).slice(0, 100)])]
    .filter((id) => id !== sent && id !== "")
    .map((id) => ({
      value: { headers: { ...headerRecord(headers), [name]: id } },
      mistake: {
        cause: "id-changed",
        statement: `the id was changed: the sender signed ${id}, and ${name} is ${sent}`,
      },
    }));
}

/** The signature in other encodings, and without its prefix. */
function encodingVariants(
  { headers }: Attempt,
  { signature }: Provider,
): readonly Variant<Partial<Attempt>>[] {
  const { encoding } = signature;
  return signature.carrier.flatMap(({ at, prefix = "" }) => {
    const { kind, name } = parsePlace(at);
    const sent = kind === "header" ? headerRecord(headers)[name] : undefined;
    if (sent === undefined || encoding === undefined) return [];
    const encoded = (["hex", "base64", "base64url"] as const).map((other) =>
      sent.replaceAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{26,}={0,2}/g, (text) =>
        Buffer.from(text, other).toString(encoding),
      ),
    );
    return [...encoded, ...encoded.map((text) => prefix + text)]
      .filter((text) => text !== sent)
      .map((text) => ({
        value: { headers: { ...headerRecord(headers), [name]: text } },
        mistake: {
          cause: "signature-encoding",
          statement: `the signature in ${name} is not written as the scheme says (${encoding}${prefix === "" ? "" : ` after ${prefix}`})`,
        },
      }));
  });
}
