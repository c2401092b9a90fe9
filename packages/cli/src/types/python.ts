import {
  getOptionValues,
  JSONPythonRenderer,
  pythonOptions,
  PythonTargetLanguage,
  type LanguageName,
  type RenderContext,
  type RendererOptions,
  type Sourcelike,
  type Type,
} from "quicktype-core";
import type { EventModel, EventShape } from "./event-model.ts";
import { type Language, byType, namesOf, oneFile, printTypes, quoted } from "./print-types.ts";

/** Data classes, their union and a function that parses a body. */
export const python: Language = {
  isFolder: false,
  comment: "#",
  print: async (asked) => {
    const { text: printed, model } = await printTypes<"python">(asked, {
      language: new ExactPython(),
      options: { "python-version": "3.7" },
    });
    const classes = printed
      // Each class has these two itself.
      .replaceAll(/^def \w+_(?:from|to)_dict\(.*\n {4}return .*\n+/gm, "")
      .replace("from dataclasses", "import json\nfrom dataclasses")
      .replace(/^from typing import (.*)$/m, (_line, names: string) => {
        const wanted = new Set([...names.split(", "), "Optional", "Union"]);
        return `from typing import ${[...wanted].join(", ")}`;
      });
    return oneFile(classes.trim(), `\n${union(model)}`);
  },
};

/** quicktype's Python with Decimal instead of float; it never accepts a float. */
class ExactPython extends PythonTargetLanguage {
  protected override makeRenderer<Lang extends LanguageName = "python">(
    context: RenderContext,
    untyped: RendererOptions<Lang>,
  ): JSONPythonRenderer {
    return new ExactPythonRenderer(this, context, getOptionValues(pythonOptions, untyped));
  }
}

class ExactPythonRenderer extends JSONPythonRenderer {
  protected override pythonType(type: Type, isRoot?: boolean, isBare?: boolean): Sourcelike {
    return type.kind === "double"
      ? this.withImport("decimal", "Decimal")
      : super.pythonType(type, isRoot, isBare);
  }

  protected override emitFromFloatConverter(): void {
    this.emitDecimal("from_float");
  }

  protected override emitToFloatConverter(): void {
    this.emitDecimal("to_float");
  }

  private emitDecimal(name: string): void {
    this.emitBlock(
      ["def ", name, "(x: Any) -> ", this.withImport("decimal", "Decimal"), ":"],
      () => {
        this.emitLine(
          "# A float has lost the text already: json.loads(body, parse_float=Decimal).",
        );
        this.emitLine("assert isinstance(x, (Decimal, int)) and not isinstance(x, bool)");
        this.emitLine("return Decimal(x)");
      },
    );
  }
}

function union(model: EventModel): string {
  return `WebhookEvent = Union[
${namesOf(model)
  .map((name) => `    ${name},`)
  .join("\n")}
]


def parse_event(body: Union[str, bytes]) -> Optional[WebhookEvent]:
    """Parses a body whose signature has been verified, with amounts as exact decimals. Returns None
    for an unknown type: providers add types.

    Raises ValueError if the body is not JSON, AssertionError if it does not match its type.
    """
    event = json.loads(body, parse_float=Decimal)
    event_type = _text_at(event, ${model.typePath.map(quoted).join(", ")})
${[...byType(model)].map(([type, events]) => branches(type, events)).join("\n")}
    return None


def _text_at(value: Any, *path: str) -> Any:
    for member in path:
        value = value.get(member) if isinstance(value, dict) else None
    return value`;
}

function branches(type: string, events: readonly EventShape[]): string {
  return events
    .map(({ name, when }) => {
      const also =
        when === undefined
          ? ""
          : ` and _text_at(event, ${when.path.map(quoted).join(", ")}) == ${quoted(when.value)}`;
      return `    if event_type == ${quoted(type)}${also}:\n        return ${name}.from_dict(event)`;
    })
    .join("\n");
}
