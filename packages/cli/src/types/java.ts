import { pointerOf } from "@countersign/schemas";
import type { RendererOptions } from "quicktype-core";
import { accessorsOf, type Language, namesOf, quoted } from "./language.ts";
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
    const accessors = methodsOf(model, new Map(classes));
    const files = classes.map(([file, text]): [string, string] => {
      const exact = inCode(text, /^\s*\*/, /\b[dD]ouble\b/g, "java.math.BigDecimal")
        // quicktype leaves carriage returns in strings as they are.
        .replaceAll("\r", String.raw`\r`);
      const own = file.replace(/\.java$/, "");
      if (!names.has(own)) return [file, exact];
      const methods = accessors.map(
        ({ method, read }) =>
          `    @Override\n    public String ${method}() { return ${read(own)}; }\n\n`,
      );
      const head = `public final class ${own} implements WebhookEvent {\n`;
      return [file, exact.replace(`public class ${own} {\n`, () => head + methods.join(""))];
    });
    return new Map([
      ...files,
      ["WebhookEvent.java", `package ${name};\n\n${sealed(model, accessors)}`],
      ["WebhookEvents.java", `package ${name};\n\n${parser(model)}`],
    ]);
  },
};

interface Accessor {
  readonly method: string;
  readonly comment: string;
  /** The expression of an event's class. */
  readonly read: (name: string) => string;
}

/** Names of records: Jackson would write a `getType` as a member. */
function methodsOf(model: TypesModel, classes: ReadonlyMap<string, string>): readonly Accessor[] {
  const { type, id } = accessorsOf(model, (name, member) => {
    const text = classes.get(`${name}.java`) ?? "";
    const getters = text.matchAll(/@JsonProperty\("([^"]+)"\)\n +public String (get\w+)\(\)/g);
    const [, , getter] = [...getters].find(([, own]) => own === member) ?? [];
    return getter && `${getter}()`;
  });
  const told = "The event's identifier, the same in each delivery: deduplicate by it.";
  return [
    ...(type ? [{ method: "eventType", comment: "The type of the event.", read: type }] : []),
    ...(id ? [{ method: "eventId", comment: told, read: id }] : []),
  ];
}

function sealed(model: TypesModel, accessors: readonly Accessor[]): string {
  const methods = accessors.map(
    ({ method, comment }) => `\n    /** ${comment} */\n    String ${method}();\n`,
  );
  return `/**
 * Every event, by class. Decimals are exact: BigDecimal of the number's text.
 */
public sealed interface WebhookEvent
        permits ${namesOf(model).join(",\n                ")} {
${methods.join("")}}`;
}

function parser(model: TypesModel): string {
  const { typePath } = model;
  const cases = model.events.map(
    ({ type, name }) =>
      `            case ${quoted(type)}:\n                return Optional.of(MAPPER.readValue(body, ${name}.class));`,
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
    public static Optional<WebhookEvent> parse(${typePath === undefined ? "String eventType, " : ""}String body) throws JsonProcessingException {
        JsonNode event = MAPPER.readTree(body);
        switch (${typePath === undefined ? "eventType" : textAt(typePath)}) {
${cases.join("\n")}
            default:
                return Optional.empty();
        }
    }
}`;
}

const textAt = (path: readonly string[]): string => `event.at(${quoted(pointerOf(path))}).asText()`;
