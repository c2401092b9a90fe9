import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON, strictly: no member stands twice, and nothing is deeper than 16 levels. */
final class Json {
  private static final int MAX_DEPTH = 16;

  private final String text;
  private int at = 0;

  private Json(String text) {
    this.text = text;
  }

  /** Maps, lists, strings, booleans, null; a number is its source text as a `StringBuilder`. */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value(0);
    json.space();
    if (json.at != text.length()) throw json.fault();
    return value;
  }

  private Object value(int depth) {
    space();
    if (depth > MAX_DEPTH || at == text.length()) throw fault();
    char first = text.charAt(at);
    if (first == '{') return object(depth + 1);
    if (first == '[') return array(depth + 1);
    if (first == '"') return string();
    for (var word : new Object[][] {{"true", true}, {"false", false}, {"null", null}})
      if (text.startsWith((String) word[0], at)) {
        at += ((String) word[0]).length();
        return word[1];
      }
    return number();
  }

  private Map<String, Object> object(int depth) {
    if (depth > MAX_DEPTH) throw fault();
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    space();
    if (taken('}')) return members;
    do {
      space();
      String name = string();
      space();
      if (!taken(':')) throw fault();
      Object value = value(depth);
      if (members.containsKey(name)) throw fault();
      members.put(name, value);
      space();
    } while (taken(','));
    if (!taken('}')) throw fault();
    return members;
  }

  private List<Object> array(int depth) {
    if (depth > MAX_DEPTH) throw fault();
    List<Object> items = new ArrayList<>();
    at++;
    space();
    if (taken(']')) return items;
    do {
      items.add(value(depth));
      space();
    } while (taken(','));
    if (!taken(']')) throw fault();
    return items;
  }

  private String string() {
    if (!taken('"')) throw fault();
    StringBuilder made = new StringBuilder();
    while (at < text.length()) {
      char next = text.charAt(at++);
      if (next == '"') return made.toString();
      if (next < ' ') throw fault();
      made.append(next == '\\' ? escaped() : next);
    }
    throw fault();
  }

  private char escaped() {
    if (at == text.length()) throw fault();
    char kind = text.charAt(at++);
    int known = "\"\\/bfnrt".indexOf(kind);
    if (known >= 0) return "\"\\/\b\f\n\r\t".charAt(known);
    if (kind != 'u' || at + 4 > text.length()) throw fault();
    String digits = text.substring(at, at += 4);
    if (!digits.matches("[0-9A-Fa-f]{4}")) throw fault();
    return (char) Integer.parseInt(digits, 16);
  }

  private StringBuilder number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    String number = text.substring(start, at);
    if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw fault();
    return new StringBuilder(number);
  }

  private boolean taken(char expected) {
    boolean isThere = at < text.length() && text.charAt(at) == expected;
    if (isThere) at++;
    return isThere;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException fault() {
    return new IllegalArgumentException("no JSON at " + at);
  }
}
