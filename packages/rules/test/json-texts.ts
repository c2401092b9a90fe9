import fc from "fast-check";
import { jsonNumberText } from "./number-texts.ts";

const space = fc.constantFrom("", "", "", " ", "\n", "\t\r\n  ");

// One unit of a string, as it stands between the quotes: raw, or escaped in one of two ways.
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "A", "0", "_", "/", "~", " ", "é", "€", "😀") },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\\u0061",
      "\\u0041",
      "\\u00E9",
      "\\ud83d\\uDE00",
      "\\u0000",
      "\\uFFFF",
    ),
  },
);
const string = fc.array(unit, { maxLength: 12 }).map((units) => `"${units.join("")}"`);
const scalar = fc.oneof(string, jsonNumberText, fc.constantFrom("true", "false", "null"));

// Few short names, so that objects often name one twice, also through escapes.
const name = fc.oneof(
  { weight: 5, arbitrary: string },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"a"', '"\\u0061"', '"b"', '"\\u0062"', '"é"', '"\\u00e9"'),
  },
  { weight: 1, arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"proto\\u0074ype"') },
);

/** Texts by the grammar of JSON, duplicates and forbidden names included, up to 20 deep. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; text: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 20, depthSize: "medium" },
    scalar,
    fc
      .array(
        fc.tuple(space, tie("value"), space).map((parts) => parts.join("")),
        { maxLength: 5 },
      )
      .map((elements) => `[${elements.join(",")}]`),
    fc
      .array(
        fc
          .tuple(space, name, space, fc.constant(":"), space, tie("value"), space)
          .map((parts) => parts.join("")),
        { maxLength: 20, size: "small" },
      )
      .map((members) => `{${members.join(",")}}`),
  ),
  text: fc.tuple(space, tie("value"), space).map((parts) => parts.join("")),
})).text;

/** The same after a small accident: a piece cut out, doubled, or put in. */
export const brokenJsonText: fc.Arbitrary<string> = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.nat(4),
    fc.constantFrom(
      "",
      "",
      '"',
      ",",
      ":",
      "{",
      "}",
      "[",
      "]",
      "\\",
      "0",
      "-",
      ".",
      "e",
      "\0",
      "\n",
      "tru",
      "\u{feff}",
      "é",
    ),
  )
  .map(([text, where, length, piece]) => {
    const at = where % (text.length + 1);
    return text.slice(0, at) + piece + text.slice(at + length);
  });

/**
 * Every code that the strict reader may answer with, `"ok"` included, found by a slow walk that shares
 * nothing with the scan: it parses each string on its own and keeps a set of names for each object.
 */
export function verdicts(text: string): readonly string[] {
  if (!text.isWellFormed()) return ["CS_JSON_ENCODING"];
  if (!parses(text)) return REFUSALS;
  const faults = strictFaults(text);
  return faults.size === 0 ? ["ok"] : [...faults];
}

// What is no JSON may have another fault before the one that JSON.parse meets.
const REFUSALS = [
  "CS_JSON_BOM",
  "CS_JSON_EMPTY",
  "CS_JSON_SYNTAX",
  "CS_JSON_LONE_SURROGATE",
  "CS_JSON_DUPLICATE_MEMBER",
  "CS_JSON_FORBIDDEN_MEMBER",
  "CS_JSON_DEPTH",
];

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function strictFaults(text: string): Set<string> {
  const faults = new Set<string>();
  const open: (Set<string> | undefined)[] = [];
  for (const token of text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/gs) ?? []) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    if (token === "}" || token === "]") open.pop();
    if (open.length > 16) faults.add("CS_JSON_DEPTH");
    const literal = token.replace(/\s*:$/, "");
    if (!literal.startsWith('"') || !parses(literal)) continue;
    const read = JSON.parse(literal) as string;
    if (!read.isWellFormed()) faults.add("CS_JSON_LONE_SURROGATE");
    if (literal === token) continue;
    if (open.at(-1)?.has(read)) faults.add("CS_JSON_DUPLICATE_MEMBER");
    if (["__proto__", "constructor", "prototype"].includes(read))
      faults.add("CS_JSON_FORBIDDEN_MEMBER");
    open.at(-1)?.add(read);
  }
  return faults;
}
