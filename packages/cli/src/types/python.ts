import { type Language, namesOf, oneFile, quoted } from "./language.ts";
import { inCode, printTypes, renamed } from "./quicktype.ts";
import type { TypesModel } from "./types-model.ts";

/** Data classes, their union and a function that parses a body. */
export const python: Language = {
  isFolder: false,
  comment: "#",
  print: async (asked) => {
    const files = await printTypes(asked, "python", { "python-version": "3.7" });
    const printed = [...files.values()].join("\n");
    const classes = printed
      // Each class has these two itself.
      .replaceAll(/^def \w+_(?:from|to)_dict\(.*\n {4}return .*\n+/gm, "")
      // A float has lost the text already: parse_event reads decimals.
      .replaceAll(/^def (?:from|to)_float\(.*\n(?: {4}.*\n)+\n*/gm, "")
      .replaceAll(/\b(?:from|to)_float\b/g, "_decimal")
      .replace(/^from typing import (.*)$/m, (_line, names: string) => {
        const wanted = new Set([...names.split(", "), "Any", "Optional", "Union"]);
        return `from typing import ${[...wanted].join(", ")}`;
      });
    const exact = inCode(classes, /^\s*(?:#|""")/, /(?<=[:[] ?|-> )float\b/g, "Decimal");
    const imports = "import json\nfrom decimal import Decimal\n";
    return oneFile(imports + exact.trim(), `\n${union(renamed(asked, printed))}`);
  },
};

function union(model: TypesModel): string {
  const { typePath } = model;
  const given = "body: Union[str, bytes]";
  const names = namesOf(model);
  return `WebhookEvent = Union[
${names.map((name) => `    ${name},`).join("\n")}
]


def parse_event(${typePath === undefined ? `event_type: str, ${given}` : given}) -> Optional[WebhookEvent]:
    """Parses a body whose signature has been verified, with amounts as exact decimals. Returns None
    for an unknown type: providers add types.

    Raises ValueError if the body is not JSON, or does not match its type.
    """
    event = json.loads(body, parse_float=Decimal)${
      typePath === undefined
        ? ""
        : `\n    event_type = _text_at(event, ${typePath.map(quoted).join(", ")})`
    }
    try:
${model.events.map(({ type, name }) => `        if event_type == ${quoted(type)}:\n            return ${name}.from_dict(event)`).join("\n")}
    except (AssertionError, AttributeError, KeyError, TypeError) as error:
        raise ValueError("the body does not match its type") from error
    return None


def _decimal(x: Any) -> Decimal:
    if not isinstance(x, (Decimal, int)) or isinstance(x, bool):
        raise ValueError("a decimal is not a Decimal: read JSON with parse_float=Decimal")
    return Decimal(x)


def _text_at(value: Any, *path: str) -> Any:
    for member in path:
        value = value.get(member) if isinstance(value, dict) else None
    return value`;
}
