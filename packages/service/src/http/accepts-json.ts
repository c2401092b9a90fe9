/**
 * Whether an `Accept` field lets this service answer in JSON (RFC 9110, section 12.5.1): the most
 * specific range that covers `application/json` decides, its weight 0 excludes. Parameters of a range
 * are not looked at, since clients write `application/json; charset=utf-8`. No field accepts all.
 */
export function acceptsJson(field: string | undefined): boolean {
  if (field === undefined || field.trim() === "") return true;
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
