/**
 * The media type of a `Content-Type` field in lower case, or `undefined` where it is absent, not
 * well-formed, or has a parameter other than `charset=utf-8` (RFC 9110, section 8.3).
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
