import type { EventModel, EventShape } from "./event-model.ts";
import {
  type Language,
  byType,
  inCode,
  namesOf,
  oneFile,
  printTypes,
  quoted,
} from "./print-types.ts";

/** Structs, the interface that they all have, and a function that parses a body. */
export const go: Language = {
  package: { form: /^[a-z_]\w*$/, standard: "events" },
  isFolder: false,
  comment: "//",
  print: async (asked, packageName) => {
    const { text: printed, model } = await printTypes<"go">(asked, {
      language: "go",
      options: { "just-types-and-package": true, package: packageName },
    });
    const structs = printed
      .replace(/^package .*\n/, "")
      // quicktype lines columns up over the comments; gofmt has none to line up between empty lines.
      .replaceAll(/ +$/gm, "")
      .replaceAll(/^(\t\w+) +(\S+) +(`.*`)\n(?!\})/gm, "$1 $2 $3\n\n")
      .replaceAll(/^(\t\w+) +(\S+) +(`.*`)$/gm, "$1 $2 $3");
    const exact = inCode(structs, { comment: /^\s*\/\//, from: /\bfloat64\b/g, to: "json.Number" });
    return oneFile(
      `package ${packageName}`,
      'import (\n\t"encoding/json"\n\t"errors"\n)',
      exact.trim(),
      union(model),
    );
  },
};

function union(model: EventModel): string {
  return `// WebhookEvent is a pointer to one of the events. Amounts are json.Number, the number's text:
// parse them with a decimal package or math/big, never with Float64.
type WebhookEvent interface{ isWebhookEvent() }

${namesOf(model)
  .map((name) => `func (*${name}) isWebhookEvent() {}`)
  .join("\n\n")}

// ErrUnknownEvent is returned for an event of an unknown type: providers add types.
var ErrUnknownEvent = errors.New("an event of an unknown type")

// ParseWebhookEvent parses a body whose signature has been verified.
func ParseWebhookEvent(body []byte) (WebhookEvent, error) {
	if !json.Valid(body) {
		return nil, errors.New("the body is not JSON")
	}
	var event WebhookEvent
	switch textAt(body, ${model.typePath.map(quoted).join(", ")}) {
${[...byType(model)].map(([type, events]) => `\tcase ${quoted(type)}:\n${chosen(events)}`).join("\n")}
	}
	if event == nil {
		return nil, ErrUnknownEvent
	}
	if err := json.Unmarshal(body, event); err != nil {
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

function chosen(events: readonly EventShape[]): string {
  const [first] = events;
  if (first?.when === undefined) return `\t\tevent = &${first?.name ?? ""}{}`;
  const cases = events.map(
    ({ name, when }) => `\t\tcase ${quoted(when?.value ?? "")}:\n\t\t\tevent = &${name}{}`,
  );
  const path = first.when.path.map(quoted).join(", ");
  return `\t\tswitch textAt(body, ${path}) {\n${cases.join("\n")}\n\t\t}`;
}
