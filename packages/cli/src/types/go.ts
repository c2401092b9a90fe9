import { type Language, namesOf, oneFile, quoted } from "./language.ts";
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
    return oneFile(`package ${name}`, imports, exact.trim(), union(model));
  },
};

function union(model: TypesModel): string {
  const { typePath, idMember } = model;
  const methods = namesOf(model).map((name) => {
    const head = `func (*${name}) isWebhookEvent()`;
    // gofmt breaks longer lines.
    return `${head} {${head.length >= 100 ? "\n" : ""}}`;
  });
  return `// ParsedEvent is an event with its type${idMember === undefined ? "" : " and its id, the same in each delivery: deduplicate by it"}.
type ParsedEvent struct {
	Type string
${idMember === undefined ? "" : "\tID   string\n"}	Body WebhookEvent
}

// WebhookEvent is a pointer to one of the events. Decimals are json.Number, the number's text:
// parse them with a decimal package or math/big, never with Float64.
type WebhookEvent interface {
	isWebhookEvent()
}

${methods.join("\n\n")}

// ErrUnknownEvent is returned for an event of an unknown type: providers add types.
var ErrUnknownEvent = errors.New("an event of an unknown type")

// ParseWebhookEvent parses a body whose signature has been verified.
func ParseWebhookEvent(${typePath === undefined ? "eventType string, " : ""}body []byte) (*ParsedEvent, error) {
	if !json.Valid(body) {
		return nil, errors.New("the body is not JSON")
	}${typePath === undefined ? "" : `\n\teventType := textAt(body, ${typePath.map(quoted).join(", ")})`}
	var event WebhookEvent
	switch eventType {
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
	return &ParsedEvent{Type: eventType, ${idMember === undefined ? "" : `ID: textAt(body, ${quoted(idMember)}), `}Body: event}, nil
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
		return string(value)
	}
	return text
}`;
}
