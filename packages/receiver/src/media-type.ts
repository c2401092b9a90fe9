/**
 * Whether a Content-Type lets the body be JSON in UTF-8: `application/json` or `application/…+json`,
 * with no parameter but `charset=utf-8`. None at all is let through: the body speaks for itself, and
 * no parser is chosen by this header (parsers that read it differently are how validation gets bypassed).
 */
export function isJsonMediaType(value: string | undefined): boolean {
  return value === undefined || JSON_MEDIA_TYPE.test(value);
}

const JSON_MEDIA_TYPE =
  /^application\/(?:[a-z0-9!#$&^_.-]{1,64}\+)?json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
