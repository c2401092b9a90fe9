const LITERAL = /"(?:[^"\\]|\\.)*"/g;
const HEAD =
  /(?<=function validate\d+\()data, \{instancePath="\d+", parentData, parentDataProperty, rootData=data\}=\{\}\)\{let vErrors = null;let errors = 0;/g;
const END = /validate\d+\.errors = vErrors;return errors === 0;/g;
const CALL =
  /if\(!\(((?:validate|wrapper|root)\d+(?:\.validate)?)\((\w[^ ]*), \{instancePath(?::(.*?))?,parentData.*?,rootData\}\)\)\)\{vErrors = vErrors === null \? \1\.errors : vErrors\.concat\(\1\.errors\);errors = vErrors\.length;\}/g;
const ADD = String.raw`;if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}errors\+\+;`;
const ERROR = new RegExp(
  String.raw`const (err\d+) = \{instancePath(?::(.*?))?,schemaPath:"\d+",keyword:"(\d+)",params:(.*?),message:"(\d+)"(?:,propertyName:\w+)?\}${ADD}`,
  "g",
);
const UNUSED_ERROR = new RegExp(String.raw`const (err\d+) = \{\}${ADD}`, "g");
const RESET =
  /if\(vErrors !== null\)\{if\((_errs\d+)\)\{vErrors\.length = \1;\}else \{vErrors = null;\}\}/g;
const UNKNOWN =
  /(?<![.\w])(?:vErrors = |vErrors ===|(?:validate|root|wrapper)[\w.]+\.errors|schemaPath\b|parentData\b|require\()/;
const HELPER =
  /const (\w+) = (?:require\(|formats(?=[.[]))(?:\[?"(\d+)"\]?|\.(\w+))(?:\)\.default)?;/g;
const HELPERS: Readonly<Record<string, string>> = {
  "ajv/dist/runtime/ucs2length": "lengthOf",
  "date-time": "isTimestamp",
  uri: "isHttpUrl",
};

/**
 * Rewrites ajv's functions so that they add errors to a list, and import nothing: half as much code, and no
 * state, where ajv's keep their last errors. ajv is pinned, and a form that is unknown here is an error.
 */
export function compact(code: string): {
  readonly code: string;
  /** The functions that the code exported, by the names of the exports. */
  readonly exports: ReadonlyMap<string, string>;
} {
  // The texts are put aside: a schema's author chooses them, and they may look like code.
  const texts: string[] = [];
  const put = (text: string): string => `"${String(texts.push(text) - 1)}"`;
  const textAt = (index: string): string => JSON.parse(texts[Number(index)] ?? "") as string;
  const helper = (_all: string, name: string, index: string, plain?: string): string => {
    const found = HELPERS[plain ?? textAt(index)];
    if (found === undefined) throw new Error("a schema cannot list objects or arrays as values");
    return `const ${name} = ${found};`;
  };
  const exports = new Map<string, string>();
  const short = code
    .replaceAll(LITERAL, put)
    .replaceAll(/"\d+";/g, "")
    .replaceAll(/export const (\w+) = (\w+);/g, (_all, name: string, own: string) => {
      exports.set(name, own);
      return "";
    })
    .replaceAll(HEAD, "data: any, instancePath: string, vErrors: any[]): void {")
    .replaceAll(END, "")
    .replaceAll(
      CALL,
      (_all, check, data, at = "instancePath") => `${check}(${data}, ${at}, vErrors);`,
    )
    .replaceAll(RESET, "vErrors.length = $1;")
    .replaceAll(UNUSED_ERROR, "vErrors.push({});")
    .replaceAll(
      ERROR,
      (_all, _name, at = "instancePath", keyword: string, params: string, rule: string) => {
        const name = textAt(keyword);
        // ajv's own, of a list of types.
        const message = name === "type" ? textAt(rule).replaceAll(",", " or ") : textAt(rule);
        const kind = message === "is required" ? "required" : "enum";
        const isPlain = name === "type" || texts[Number(params.slice(1, -1))] === '""';
        const shown = put(JSON.stringify(name === "discriminator" ? kind : name));
        return `vErrors.push({pointer:${at}${isPlain ? "" : `+${params}`},keyword:${shown},message:${put(JSON.stringify(message))}});`;
      },
    )
    // The number of errors is the length of the list.
    .replaceAll(/(?<!\.)\berrors\b/g, "vErrors.length")
    .replaceAll(HELPER, helper)
    .replaceAll("= new RegExp", "= /* @__PURE__ */ new RegExp");
  if (UNKNOWN.test(short)) throw new Error("unknown form of ajv's code");
  const isUsed = (name: string): boolean => new RegExp(String.raw`\b${name}\.`).test(short);
  const whole = short
    .replaceAll(/const (schema\d+) = [^;]*;/g, (all, name: string) => (isUsed(name) ? all : ""))
    .replaceAll(
      /(?=const (?:schema|pattern|func|formats|wrapper|root)\d+ =|function validate)/g,
      "\n",
    )
    .replaceAll(/"(\d+)"/g, (_all, index: string) => texts[Number(index)] ?? "")
    .trim();
  return { code: whole, exports };
}
