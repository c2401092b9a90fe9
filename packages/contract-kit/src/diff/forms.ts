import type { JsonSchema } from "../documents/json-schema.ts";
import type { RawChange, Report, RuleId } from "./rules.ts";

/** Changes of keywords that give texts and numbers a form. A form that cannot be compared counts as changed. */
export function formChanges(
  before: JsonSchema,
  after: JsonSchema,
  report: Report,
): readonly RawChange[] {
  return (["pattern", "format", "multipleOf"] as const).flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    if (old === now) return [];
    const message = `${keyword} ${String(old ?? "none")} → ${String(now ?? "none")}`;
    if (old === undefined) return [report("form-added", message)];
    if (now === undefined) return [report("form-removed", message)];
    const isNarrower = isWithin(keyword, now, old);
    const isWider = isWithin(keyword, old, now);
    if (isNarrower && isWider) return [];
    const rule: RuleId = isNarrower ? "form-tightened" : isWider ? "form-loosened" : "form-changed";
    return [report(rule, message)];
  });
}

/** True if each value of one form is known to have the other one too. */
function isWithin(keyword: string, one: string | number, other: string | number): boolean {
  // 0.1 / 0.01 is not a whole number in binary.
  if (keyword === "multipleOf")
    return Number.isInteger(Number((Number(one) / Number(other)).toFixed(6)));
  if (keyword === "format") return (WITHIN[one] ?? []).includes(String(other));
  // A pattern is only equal or changed.
  return false;
}

const WITHIN: Readonly<Record<string, readonly string[] | undefined>> = {
  int8: ["int16", "int32", "int64"],
  int16: ["int32", "int64"],
  int32: ["int64"],
  uint8: ["uint16", "uint32", "uint64", "int16", "int32", "int64"],
  uint16: ["uint32", "uint64", "int32", "int64"],
  uint32: ["uint64", "int64"],
  float: ["double"],
  email: ["idn-email"],
  hostname: ["idn-hostname"],
  uri: ["uri-reference", "iri", "iri-reference"],
};
