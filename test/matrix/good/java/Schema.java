import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** As much of JSON Schema as the events use, as a reader reads it: unknown members pass. */
final class Schema {
  private static final Map<Path, Map<?, ?>> read = new ConcurrentHashMap<>();

  private final Path events;

  /** Of the folder of the published schemas. */
  Schema(Path folder) {
    events = folder.resolve("events").normalize();
  }

  /** Whether an event of a known type is as its schema says; of any other type it is. */
  boolean fits(Map<?, ?> event) {
    String type = (String) event.get("type");
    Path path = events.resolve(type + ".schema.json");
    boolean isKnown = type.matches("[a-z]+\\.[a-z]+") && Files.exists(path);
    return !isKnown || fits(event, documentAt(path), events);
  }

  private static boolean fits(Object value, Map<?, ?> schema, Path folder) {
    if (schema.get("$ref") instanceof String reference) {
      Path path = folder.resolve(reference).normalize();
      return fits(value, documentAt(path), path.getParent());
    }
    if (schema.get("oneOf") instanceof List<?> branches) {
      String name = (String) ((Map<?, ?>) schema.get("discriminator")).get("propertyName");
      Object said = value instanceof Map<?, ?> members ? members.get(name) : null;
      Map<?, ?> branch = branchOf(branches, name, said);
      return branch != null && fits(value, branch, folder);
    }
    if (schema.get("type") instanceof String kind && !isKind(value, kind)) return false;
    if (schema.get("type") instanceof List<?> kinds
        && kinds.stream().noneMatch(kind -> isKind(value, (String) kind))) return false;
    if (schema.containsKey("const") && !schema.get("const").equals(value)) return false;
    if (schema.get("enum") instanceof List<?> values
        && schema.get("x-open") == null
        && !values.contains(value)) return false;
    if (value instanceof String text) return fitsText(text, schema);
    if (value instanceof StringBuilder number) return fitsNumber(number, schema);
    if (!(value instanceof Map<?, ?> members)) return true;
    if (schema.get("required") instanceof List<?> names && !members.keySet().containsAll(names))
      return false;
    if (!(schema.get("properties") instanceof Map<?, ?> properties)) return true;
    return properties.entrySet().stream()
        .allMatch(
            one ->
                !members.containsKey(one.getKey())
                    || fits(members.get(one.getKey()), (Map<?, ?>) one.getValue(), folder));
  }

  /** The kind that says so, else the open one. */
  private static Map<?, ?> branchOf(List<?> branches, String name, Object said) {
    Map<?, ?> open = null;
    for (Object one : branches) {
      Map<?, ?> branch = (Map<?, ?>) one;
      Map<?, ?> told = (Map<?, ?>) ((Map<?, ?>) branch.get("properties")).get(name);
      if (told.containsKey("const") && told.get("const").equals(said)) return branch;
      if (told.containsKey("x-open")) open = branch;
    }
    return open;
  }

  private static boolean fitsText(String text, Map<?, ?> schema) {
    int length = text.codePointCount(0, text.length());
    if (length < bound(schema, "minLength", 0)) return false;
    if (length > bound(schema, "maxLength", Integer.MAX_VALUE)) return false;
    return !(schema.get("pattern") instanceof String pattern)
        || Pattern.compile(pattern).matcher(text).find();
  }

  private static boolean fitsNumber(StringBuilder number, Map<?, ?> schema) {
    BigDecimal value = new BigDecimal(number.toString());
    if (schema.get("minimum") instanceof StringBuilder least
        && value.compareTo(new BigDecimal(least.toString())) < 0) return false;
    return !(schema.get("maximum") instanceof StringBuilder most)
        || value.compareTo(new BigDecimal(most.toString())) <= 0;
  }

  private static int bound(Map<?, ?> schema, String name, int otherwise) {
    Object said = schema.get(name);
    return said == null ? otherwise : Integer.parseInt(said.toString());
  }

  private static boolean isKind(Object value, String kind) {
    return switch (kind) {
      case "object" -> value instanceof Map;
      case "array" -> value instanceof List;
      case "string" -> value instanceof String;
      case "number", "integer" -> value instanceof StringBuilder;
      case "boolean" -> value instanceof Boolean;
      default -> value == null;
    };
  }

  private static Map<?, ?> documentAt(Path path) {
    return read.computeIfAbsent(
        path,
        file -> {
          try {
            return (Map<?, ?>) Json.parse(Files.readString(file));
          } catch (IOException fault) {
            throw new IllegalStateException(fault);
          }
        });
  }
}
