/** Parses a time: seconds since the epoch, with a fraction if it is finer. */
export function secondsOf(
  value: string | number | boolean | undefined,
  unit: string,
): number | undefined {
  if (value === undefined || typeof value === "boolean") return undefined;
  const text = String(value);
  // Most units are of one form: only others are split.
  for (const one of unit.includes("|") ? unit.split("|") : [unit]) {
    if (one === "iso") {
      const seconds = ISO_TIME.test(text) ? Date.parse(text) / 1000 : Number.NaN;
      if (!Number.isNaN(seconds)) return seconds;
    } else if (/^(?:0|[1-9]\d{0,12})$/.test(text)) {
      const isMilliseconds = text.length === 13;
      if (isMilliseconds === (one === "ms")) return Number(text) / (isMilliseconds ? 1000 : 1);
    }
  }
  return undefined;
}

/** RFC 3339 with a year of four digits: no such text is the beginning or the end of another. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** An absolute URL in RFC 3986's characters without brackets: no JSON body can begin with a part of it. */
const URL_FORM =
  /^https?:\/\/(?:[A-Za-z0-9._~!$&'()*+,;=:%-]*@)?[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?][/?A-Za-z0-9._~!$&'()*+,;=:@%-]*)?$/;

export function isUrl(url: string | undefined): url is string {
  return url !== undefined && url.length <= 8192 && URL_FORM.test(url);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses JSON. Integers beyond 2^53 are their source text: as numbers, two ids could become one. */
export function parseJson(body: Uint8Array): unknown {
  const text = utf8(body);
  if (text === undefined) throw new SyntaxError("the body is not UTF-8");
  const keepLarge = (_: string, value: unknown, context?: { readonly source: string }): unknown =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
  // The types know a reviver of two parameters only.
  return JSON.parse(text, keepLarge as Parameters<typeof JSON.parse>[1]);
}

export function memberAt(root: unknown, members: readonly string[]): unknown {
  let value = root;
  for (const member of members) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, member))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
}

export function decodeField(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
