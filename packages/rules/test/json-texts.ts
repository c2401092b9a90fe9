import fc from "fast-check";
import { jsonNumberText } from "./number-texts.ts";

const space = fc.constantFrom("", "", "", " ", "\n", "\t\r\n  ");

const from = (spaced: string): fc.Arbitrary<string> => fc.constantFrom(...spaced.split(" "));

// One unit of a string, as written between the quotes: raw, or escaped in one of two ways.
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "A", "0", "_", "/", "~", " ", "é", "€", "😀") },
  { weight: 1, arbitrary: from(String.raw`\" \\ \/ \b \f \n \r \t`) },
  { weight: 1, arbitrary: from(String.raw`\u0061 \u0041 \u00E9 \ud83d\uDE00 \u0000 \uFFFF`) },
);
const string = fc.array(unit, { maxLength: 12 }).map((units) => `"${units.join("")}"`);
const scalar = fc.oneof(string, jsonNumberText, fc.constantFrom("true", "false", "null"));

// Few short names, so that objects often name one twice, also through escapes.
const name = fc.oneof(
  { weight: 5, arbitrary: string },
  { weight: 1, arbitrary: from(String.raw`"a" "\u0061" "b" "\u0062" "é" "\u00e9"`) },
  { weight: 1, arbitrary: from(String.raw`"__proto__" "constructor" "proto\u0074ype"`) },
);
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));

/** Texts by the grammar of JSON, duplicates and forbidden names included, up to 20 deep. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; text: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 20, depthSize: "medium" },
    scalar,
    fc
      .array(joined(space, tie("value"), space), { maxLength: 5 })
      .map((elements) => `[${elements.join(",")}]`),
    fc
      .array(joined(space, name, space, fc.constant(":"), space, tie("value"), space), {
        maxLength: 20,
        size: "small",
      })
      .map((members) => `{${members.join(",")}}`),
  ),
  text: joined(space, tie("value"), space),
})).text;

/**
 * Every code that the strict reader may answer with for a text of JSON, found by a slow walk that shares
 * nothing with the scan: it parses each string on its own and keeps a set of names for each object.
 */
export function verdicts(text: string): readonly string[] {
  const faults = strictFaults(text);
  return faults.size === 0 ? ["ok"] : [...faults];
}

function strictFaults(text: string): Set<string> {
  const faults = new Set<string>();
  const open: (Set<string> | undefined)[] = [];
  for (const token of text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/gs) ?? []) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    if (token === "}" || token === "]") open.pop();
    if (open.length > 16) faults.add("CS_JSON_DEPTH");
    const literal = token.replace(/\s*:$/, "");
    if (!literal.startsWith('"')) continue;
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
