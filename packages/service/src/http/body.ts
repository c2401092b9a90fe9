/**
 * Returns the media type of a `Content-Type` header in lower case, or `undefined` if it is absent,
 * malformed, or has a parameter other than `charset=utf-8` (RFC 9110, section 8.3).
 */
export function mediaTypeOf(field: string | undefined): string | undefined {
  const match = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)((?:[ \t]*;[^;]*)*)$/.exec(field?.trim() ?? "");
  if (match === null) return undefined;
  const [, type = "", parameters = ""] = match;
  const isUtf8 = parameters
    .split(";")
    .map((parameter) => parameter.trim().toLowerCase())
    .every((parameter) => ["", "charset=utf-8", 'charset="utf-8"'].includes(parameter));
  return isUtf8 ? type.toLowerCase() : undefined;
}

/**
 * True if an `Accept` header admits JSON (RFC 9110, section 12.5.1): the most specific range that covers
 * `application/json` decides. Its parameters are ignored, since clients write `application/json; charset=utf-8`.
 */
export function acceptsJson(field = ""): boolean {
  if (field.trim() === "") return true;
  let best = { precedence: -1, weight: 0 };
  for (const range of field.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const precedence = ["*/*", "application/*", "application/json"].indexOf(type);
    if (precedence > best.precedence) best = { precedence, weight: weightOf(parameters) };
  }
  return best.precedence >= 0 && best.weight > 0;
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
}

/** The parameters of a request target's query. Never throws, whatever precedes the query. */
export function queryOf(target = "/"): URLSearchParams {
  const at = target.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : target.slice(at));
}

/** True if a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
