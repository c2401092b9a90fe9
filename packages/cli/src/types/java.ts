import { pointerOf } from "@countersign/schemas";
import type { EventModel, EventShape } from "./event-model.ts";
import { type Language, byType, inCode, namesOf, printTypes, quoted } from "./print-types.ts";

/** Classes for Jackson, the sealed interface that they all have, and a class that parses a body. */
export const java: Language = {
  package: { form: /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/, standard: "events" },
  isFolder: true,
  comment: "//",
  print: async (asked, packageName) => {
    const { files: printed, model } = await printTypes<"java">(asked, {
      language: "java",
      options: { package: packageName, "array-type": "list" },
    });
    const files = new Map<string, string>();
    for (const [name, text] of printed)
      if (name !== "Converter.java") files.set(name, asEvent(exact(text), model));
    files.set("WebhookEvent.java", `package ${packageName};\n\n${sealed(model)}`);
    files.set("WebhookEvents.java", `package ${packageName};\n\n${parser(model)}`);
    return files;
  },
};

const exact = (text: string): string =>
  inCode(text, { comment: /^\s*\*/, from: /\b[dD]ouble\b/g, to: "java.math.BigDecimal" });

function asEvent(text: string, model: EventModel): string {
  const names = namesOf(model).join("|");
  return text.replace(
    new RegExp(`^public class (${names}) \\{`, "m"),
    "public final class $1 implements WebhookEvent {",
  );
}

function sealed(model: EventModel): string {
  return `/**
 * Every event, by class. Amounts are exact: BigDecimal of the number's text.
 */
public sealed interface WebhookEvent
        permits ${namesOf(model).join(",\n                ")} {
}`;
}

function parser(model: EventModel): string {
  const cases = [...byType(model)].map(
    ([type, events]) => `            case ${quoted(type)}:\n${chosen(events)}`,
  );
  return `import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/** Reads events, with jackson-databind 2. */
public final class WebhookEvents {
    // Providers add members without notice.
    private static final ObjectMapper MAPPER =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    private WebhookEvents() {
    }

    /**
     * Parses a body whose signature has been verified. Returns an empty Optional for an unknown type:
     * providers add types.
     *
     * @throws JsonProcessingException if the body is not JSON or does not match its type
     */
    public static Optional<WebhookEvent> parse(String body) throws JsonProcessingException {
        JsonNode event = MAPPER.readTree(body);
        switch (event.at(${pointer(model.typePath)}).asText()) {
${cases.join("\n")}
            default:
                return Optional.empty();
        }
    }
}`;
}

function chosen(events: readonly EventShape[]): string {
  const read = (name: string): string =>
    `return Optional.of(MAPPER.readValue(body, ${name}.class));`;
  const [first] = events;
  if (first?.when === undefined) return `                ${read(first?.name ?? "")}`;
  const cases = events.map(
    ({ name, when }) =>
      `                    case ${quoted(when?.value ?? "")}:\n                        ${read(name)}`,
  );
  return [
    `                switch (event.at(${pointer(first.when.path)}).asText()) {`,
    ...cases,
    "                    default:",
    "                        return Optional.empty();",
    "                }",
  ].join("\n");
}

const pointer = (path: readonly string[]): string => quoted(pointerOf(path));
