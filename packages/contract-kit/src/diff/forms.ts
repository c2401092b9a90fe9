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
  const [inner, outer] = [classOf(String(one)), classOf(String(other))];
  if (inner === undefined || outer === undefined) return false;
  const isShorter = inner.least >= outer.least && inner.most <= outer.most;
  return isShorter && [...inner.set].every((character) => outer.set.has(character));
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

const ONE_CLASS =
  /^\^(?<set>\[(?:\\.|[^\]\\])+\]|\\[dw]|[\w -])(?:(?<sign>[+*?])|\{(?<least>\d+)(?<more>,(?<most>\d*))?\})?\$$/;

interface CharacterClass {
  /** Its characters up to U+00FF, which patterns of one class rarely go beyond. */
  readonly set: ReadonlySet<string>;
  readonly least: number;
  readonly most: number;
}

/** A pattern of one class of characters, such as `^[a-z0-9]{1,8}$`. */
function classOf(pattern: string): CharacterClass | undefined {
  const groups = ONE_CLASS.exec(pattern)?.groups;
  // A class beyond U+00FF, or one that excludes characters, is not listed.
  if (groups === undefined || /\[\^|[^\u0020-\u007e]|\\[upxPDWSs]/.test(pattern.slice(1)))
    return undefined;
  const { set = "", sign, least, more, most } = groups;
  let form;
  try {
    form = new RegExp(`^${set}$`, "u");
  } catch {
    return undefined;
  }
  const all = Array.from({ length: 256 }, (_, code) => String.fromCodePoint(code));
  const [from, to] = SIGNS[sign ?? ""] ?? [1, 1];
  return {
    set: new Set(all.filter((character) => form.test(character))),
    least: least === undefined ? from : Number(least),
    most: least === undefined ? to : more === undefined ? Number(least) : Number(most || Infinity),
  };
}

const SIGNS: Readonly<Record<string, readonly [number, number] | undefined>> = {
  "+": [1, Infinity],
  "*": [0, Infinity],
  "?": [0, 1],
};
