import { pointerOf } from "@countersign/schemas";
import type { RendererOptions } from "quicktype-core";
import { type Language, namesOf, quoted } from "./language.ts";
import { inCode, printTypes, renamed } from "./quicktype.ts";
import type { TypesModel } from "./types-model.ts";

type JavaOptions = RendererOptions<"java">;

/** Classes for Jackson, the sealed interface that all events have, and a class that parses a body. */
export const java: Language = {
  package: { form: /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/, standard: "events" },
  isFolder: true,
  comment: "//",
  print: async (asked, name) => {
    const printed = await printTypes(asked, "java", {
      package: name,
      "array-type": "list",
      // quicktype does not export the enumeration.
      "acronym-style": "camel" as NonNullable<JavaOptions["acronym-style"]>,
    });
    const classes = [...printed].filter(([file]) => file !== "Converter.java");
    const model = renamed(asked, classes.map(([, text]) => text).join("\n"));
    const names = new Set(namesOf(model));
    const files = classes.map(([file, text]): [string, string] => {
      const exact = inCode(text, /^\s*\*/, /\b[dD]ouble\b/g, "java.math.BigDecimal")
        // quicktype leaves carriage returns in strings as they are.
        .replaceAll("\r", String.raw`\r`);
      const own = file.replace(/\.java$/, "");
      if (!names.has(own)) return [file, exact];
      const head = `public final class ${own} implements WebhookEvent {`;
      return [file, exact.replace(`public class ${own} {`, () => head)];
    });
    return new Map([
      ...files,
      ["WebhookEvent.java", `package ${name};\n\n${sealed(model)}`],
      ["ParsedEvent.java", `package ${name};\n\n${parsed(model)}`],
      ["WebhookEvents.java", `package ${name};\n\n${parser(model)}`],
    ]);
  },
};

const sealed = (model: TypesModel): string => `/**
 * Every event, by class. Decimals are exact: BigDecimal of the number's text.
 */
public sealed interface WebhookEvent
        permits ${namesOf(model).join(",\n                ")} {
}`;

const parsed = ({ idMember }: TypesModel): string => `/**
 * An event with its type${idMember === undefined ? "" : " and its id, the same in each delivery: deduplicate by it"}.
 */
public record ParsedEvent(String type, ${idMember === undefined ? "" : "String id, "}WebhookEvent body) {
}`;

function parser(model: TypesModel): string {
  const { typePath, idMember } = model;
  const cases = model.events.map(
    ({ type, name }) =>
      `            case ${quoted(type)}:\n                return of(eventType, event, MAPPER.readValue(body, ${name}.class));`,
  );
  return `import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/** Reads events, with jackson-databind 2. */
public final class WebhookEvents {
    // Providers add members without notice.
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
            .configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, true);

    private WebhookEvents() {
    }

    /**
     * Parses a body whose signature has been verified. Returns an empty Optional for an unknown type:
     * providers add types.
     *
     * @throws JsonProcessingException if the body is not JSON or does not match its type
     */
    public static Optional<ParsedEvent> parse(${typePath === undefined ? "String eventType, " : ""}String body) throws JsonProcessingException {
        JsonNode event = MAPPER.readTree(body);${typePath === undefined ? "" : `\n        String eventType = ${textAt(typePath)};`}
        switch (eventType) {
${cases.join("\n")}
            default:
                return Optional.empty();
        }
    }

    private static Optional<ParsedEvent> of(String type, JsonNode event, WebhookEvent body) {
        return Optional.of(new ParsedEvent(type, ${idMember === undefined ? "" : `${textAt([idMember])}, `}body));
    }
}`;
}

const textAt = (path: readonly string[]): string => `event.at(${quoted(pointerOf(path))}).asText()`;
