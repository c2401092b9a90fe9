import { accessorsOf, type Language, namesOf, oneFile, quoted } from "./language.ts";
import { inCode, printTypes, renamed } from "./quicktype.ts";
import type { TypesModel } from "./types-model.ts";

/** Names of members that a struct's tag can have: encoding/json ignores others, and they could end the tag. */
const TAGGED = /^(?!-$)[\p{L}\p{N}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u;

/** Structs, the interface that all events have, and a function that parses a body. */
export const go: Language = {
  package: { form: /^[a-z_]\w*$/, standard: "events" },
  isFolder: false,
  comment: "//",
  print: async (asked, name) => {
    const options = { "just-types-and-package": true, package: name };
    const files = await printTypes(asked, "go", options, TAGGED);
    const structs = [...files.values()]
      .join("\n")
      .replace(/^package .*\n/, "")
      // quicktype lines columns up over the comments; gofmt has none to line up between empty lines.
      .replaceAll(/ +$/gm, "")
      .replaceAll(/^(\t\w+) +(\S+) +(`.*`)\n(?!\})/gm, "$1 $2 $3\n\n")
      .replaceAll(/^(\t\w+) +(\S+) +(`.*`)$/gm, "$1 $2 $3");
    const exact = inCode(structs, /^\s*\/\//, /\bfloat64\b/g, "json.Number");
    const imports = 'import (\n\t"bytes"\n\t"encoding/json"\n\t"errors"\n)';
    const model = renamed(asked, structs);
    return oneFile(`package ${name}`, imports, exact.trim(), union(model, exact));
  },
};

function union(model: TypesModel, structs: string): string {
  const { typePath } = model;
  const found = accessorsOf(model, (name, member) => field(structs, name, member));
  const accessors = [
    { method: "GetType() string", read: found.type },
    { method: "GetID() string", read: found.id },
  ].flatMap(({ method, read }) => (read === undefined ? [] : [{ method, read }]));
  const methods = namesOf(model).flatMap((name) => [
    `func (*${name}) isWebhookEvent() {}`,
    ...accessors.map(
      ({ method, read }) => `func (e *${name}) ${method} {\n\treturn ${read(name)}\n}`,
    ),
  ]);
  return `// WebhookEvent is a pointer to one of the events. Decimals are json.Number, the number's text:
// parse them with a decimal package or math/big, never with Float64.
type WebhookEvent interface {
${accessors.map(({ method }) => `\t${method}\n`).join("")}\tisWebhookEvent()
}

${methods.join("\n\n")}

// ErrUnknownEvent is returned for an event of an unknown type: providers add types.
var ErrUnknownEvent = errors.New("an event of an unknown type")

// ParseWebhookEvent parses a body whose signature has been verified.
func ParseWebhookEvent(${typePath === undefined ? "eventType string, " : ""}body []byte) (WebhookEvent, error) {
	if !json.Valid(body) {
		return nil, errors.New("the body is not JSON")
	}
	var event WebhookEvent
	switch ${typePath === undefined ? "eventType" : `textAt(body, ${typePath.map(quoted).join(", ")})`} {
${model.events.map(({ type, name }) => `\tcase ${quoted(type)}:\n\t\tevent = &${name}{}`).join("\n")}
	}
	if event == nil {
		return nil, ErrUnknownEvent
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(event); err != nil {
		return nil, err
	}
	return event, nil
}

func textAt(body []byte, path ...string) string {
	value := json.RawMessage(body)
	for _, member := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return ""
		}
		value = object[member]
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}`;
}

/** Reads a text of a struct, by the name that it has in JSON. */
function field(structs: string, name: string, member: string): string | undefined {
  const fields = new RegExp(`^type ${name} struct \\{\n([^]*?)^\\}`, "m").exec(structs)?.[1] ?? "";
  const lines = Array.from(fields.matchAll(/^\t(\w+) (\S+) `json:"([^",]*)/gm));
  const [, own, type] = lines.find(([, , , tag]) => tag === member) ?? [];
  return type === "string" ? `e.${own ?? ""}` : undefined;
}
