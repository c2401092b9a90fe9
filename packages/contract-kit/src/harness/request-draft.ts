import { stepsOf, withValueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { memberAt, parsePlace } from "@countersign/signatures/places";
import { parseJson } from "../values.ts";
import type { Header } from "./message.ts";

/** The parts of a request that a provider document can name. */
export interface RequestParts {
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  /** Path and query. */
  readonly path?: string;
}

type Source = Pick<ProviderDocument, "batch" | "event" | "signature">;

/** True if a provider sends forms instead of JSON. */
export function sendsForms({ event, signature }: Source): boolean {
  const { id = [], type } = event;
  const places = [id, type, signature.carrier.map(({ at }) => at)].flat();
  return (
    places.some((place) => typeof place === "string" && place.startsWith("form:")) ||
    (signature.signed ?? []).some((part) => typeof part === "object" && "form" in part)
  );
}

/** Reads and writes a request's values at the places of a provider document. What is not written keeps its bytes. */
export class RequestDraft {
  headers: readonly Header[];
  path: string;
  readonly #source: Source;
  readonly #isForm: boolean;
  #body: Uint8Array;
  #json: { value: unknown } | undefined;

  constructor({ headers, body, path = "" }: RequestParts, source: Source) {
    this.headers = headers;
    this.path = path;
    this.#body = body;
    this.#source = source;
    this.#isForm = sendsForms(source);
  }

  get body(): Uint8Array {
    if (this.#json === undefined) return this.#body;
    return Buffer.from(JSON.stringify(this.#json.value));
  }

  /** Returns the value at a place: text, or a JSON value; `undefined` if it is absent. */
  get(place: string): unknown {
    const { kind, name, pair, members, isJson } = parsePlace(place);
    if (kind === "body" || kind === "item")
      return memberAt(this.#root(), [...this.#itemAt(kind), ...members]);
    if (kind === "form" || kind === "query") {
      const text = this.#fields(kind).get(name) ?? undefined;
      return isJson === true && text !== undefined ? memberAt(parseJson(text), members) : text;
    }
    // Values of tokens, and the URL as a whole, cannot be read.
    if (kind !== "header") return undefined;
    const text = this.headers.find((one) => one[0].toLowerCase() === name)?.[1];
    if (pair === undefined) return text;
    const start = pair + this.#pairs().equals;
    return this.#entries(text)
      .find((one) => one.startsWith(start))
      ?.slice(start.length);
  }

  /** Returns the text, number or boolean at a place as text; `undefined` for anything else. */
  text(place: string): string | undefined {
    const value = this.get(place);
    const isPlain = typeof value === "number" || typeof value === "boolean";
    return isPlain ? String(value) : typeof value === "string" ? value : undefined;
  }

  /** Writes a value; `undefined` removes it. Values of tokens, and the URL as a whole, cannot be written. */
  put(place: string, value: unknown): void {
    const { kind, name, pair, members, isJson } = parsePlace(place);
    const isText = typeof value === "string" || value === undefined;
    const text = isText ? value : JSON.stringify(value);
    if (kind === "header") this.#putHeader(/^header:([^#]+)/.exec(place)?.[1] ?? name, pair, text);
    else if ((kind === "body" || kind === "item") && !this.#isForm)
      this.#json = { value: withValueAt(this.#root(), [...this.#itemAt(kind), ...members], value) };
    else if (kind === "form" || kind === "query") {
      const fields = this.#fields(kind);
      const inner = isJson && withValueAt(parseJson(fields.get(name) ?? "{}"), members, value);
      if (text === undefined && !isJson) fields.delete(name);
      else fields.set(name, isJson ? JSON.stringify(inner) : (text ?? ""));
      if (kind === "form") this.#body = Buffer.from(String(fields));
      else
        this.path = this.path.replace(/(?:\?.*)?$/s, fields.size === 0 ? "" : `?${String(fields)}`);
    }
  }

  /** Returns a request with the headers, the body and the path of this draft. */
  in<T extends RequestParts>(request: T): T {
    return { ...request, headers: this.headers, body: this.body, path: this.path };
  }

  #fields(kind: "form" | "query"): URLSearchParams {
    const isForm = kind === "form";
    return new URLSearchParams(
      isForm ? Buffer.from(this.#body).toString() : this.path.split("?")[1],
    );
  }

  #root(): unknown {
    // To fail at parsing takes longer than to parse.
    if (this.#isForm || (this.#json === undefined && this.#body.length === 0)) return undefined;
    return this.#json === undefined ? parseJson(this.#body) : this.#json.value;
  }

  /** Steps to the first item of the batch; none to the body. */
  #itemAt(kind: "body" | "item"): readonly string[] {
    const { batch = "body:" } = this.#source;
    return kind === "body" ? [] : [...stepsOf(batch.slice("body:".length)), "0"];
  }

  #pairs(): { readonly separator: string; readonly equals: string } {
    const { separator = ",", equals = "=" } = this.#source.signature.carrier[0] ?? {};
    return { separator, equals };
  }

  #entries(text = ""): readonly string[] {
    return text.split(this.#pairs().separator);
  }

  #putHeader(name: string, pair: string | undefined, value: string | undefined): void {
    const isSame = (one: Header): boolean => one[0].toLowerCase() === name.toLowerCase();
    const before = this.headers.find(isSame)?.[1];
    const { separator, equals } = this.#pairs();
    const start = `${pair ?? ""}${equals}`;
    const whole =
      pair === undefined
        ? value
        : this.#entries(before)
            .flatMap((one) =>
              !one.startsWith(start) ? one : value === undefined ? [] : start + value,
            )
            .join(separator);
    const header = whole === undefined ? [] : [[name, whole] as const];
    this.headers =
      before === undefined
        ? [...this.headers, ...header]
        : this.headers.flatMap((one) => (isSame(one) ? header : [one]));
  }
}
