import { type Language, namesOf, oneFile, quoted } from "./language.ts";
import { inCode, printTypes, renamed } from "./quicktype.ts";
import type { TypedEvent, TypesModel } from "./types-model.ts";

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
  const accessors = [
    { method: "GetType() string", read: typeReader(model, structs) },
    { method: "GetID() string", read: memberReader(model.idMember, structs) },
  ].filter(({ read }) => namesOf(model).every((name) => read(name) !== undefined));
  const methods = namesOf(model).map((name) =>
    [
      `func (*${name}) isWebhookEvent() {}`,
      ...accessors.map(
        ({ method, read }) => `func (e *${name}) ${method} {\n\treturn ${read(name) ?? ""}\n}`,
      ),
    ].join("\n\n"),
  );
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
${model.events.map(({ type, ...event }) => `\tcase ${quoted(type)}:\n${chosen(event)}`).join("\n")}
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

/** An event's type is in its body; else its struct has only one. */
function typeReader(
  { events, typePath = [] }: TypesModel,
  structs: string,
): (name: string) => string | undefined {
  const [member, ...more] = typePath;
  const read = memberReader(more.length === 0 ? member : undefined, structs);
  return (name) => {
    const [type, ...others] = events.filter(({ forms }) =>
      forms.some((form) => form.name === name),
    );
    return others.length === 0 ? quoted(type?.type ?? "") : read(name);
  };
}

/** Reads a text of a struct, by the name that it has in JSON. */
const memberReader =
  (member: string | undefined, structs: string) =>
  (name: string): string | undefined => {
    const fields =
      new RegExp(`^type ${name} struct \\{\n([^]*?)^\\}`, "m").exec(structs)?.[1] ?? "";
    const lines = Array.from(fields.matchAll(/^\t(\w+) (\S+) `json:"([^",]*)/gm));
    const [, field, type] = lines.find(([, , , own]) => own === member) ?? [];
    return type === "string" ? `e.${field ?? ""}` : undefined;
  };

function chosen({ forms, by = [] }: Omit<TypedEvent, "type">): string {
  const [first] = forms;
  if (first?.value === undefined) return `\t\tevent = &${first?.name ?? ""}{}`;
  const cases = forms.map(
    ({ name, value = "" }) => `\t\tcase ${quoted(value)}:\n\t\t\tevent = &${name}{}`,
  );
  return `\t\tswitch textAt(body, ${by.map(quoted).join(", ")}) {\n${cases.join("\n")}\n\t\t}`;
}
