import { pointerOf, stepsOf, valueAt, withValueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { parsePlace } from "@countersign/signatures/places";
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
    switch (kind) {
      case "header": {
        const text = this.headers.find((one) => one[0].toLowerCase() === name)?.[1];
        if (pair === undefined) return text;
        const start = pair + this.#pairs().equals;
        const found = this.#entries(text ?? "").find((one) => one.startsWith(start));
        return found?.slice(start.length);
      }
      case "body":
        return valueAt(this.#root(), pointerOf(members));
      case "item":
        return valueAt(this.#root(), pointerOf([...this.#itemAt(), ...members]));
      case "form": {
        const text = new URLSearchParams(this.#bodyText()).get(name) ?? undefined;
        return isJson === true && text !== undefined
          ? valueAt(parseJson(text), pointerOf(members))
          : text;
      }
      case "query":
        return new URLSearchParams(this.path.split("?")[1] ?? "").get(name) ?? undefined;
      case "jwt":
      case "jose":
      case "url":
        return undefined;
      default:
        return kind satisfies never;
    }
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
    const text = typeof value === "string" || value === undefined ? value : JSON.stringify(value);
    switch (kind) {
      case "header":
        this.#putHeader(/^header:([^#]+)/.exec(place)?.[1] ?? name, pair, text);
        return;
      case "body":
        this.#putMember(members, value);
        return;
      case "item":
        this.#putMember([...this.#itemAt(), ...members], value);
        return;
      case "form": {
        const fields = new URLSearchParams(this.#bodyText());
        if (isJson === true) {
          const inner = withValueAt(parseJson(fields.get(name) ?? "{}"), members, value);
          fields.set(name, JSON.stringify(inner));
        } else if (text === undefined) fields.delete(name);
        else fields.set(name, text);
        this.#body = Buffer.from(fields.toString());
        return;
      }
      case "query": {
        const [path = "", query = ""] = this.path.split("?");
        const fields = new URLSearchParams(query);
        if (text === undefined) fields.delete(name);
        else fields.set(name, text);
        this.path = fields.size === 0 ? path : `${path}?${fields.toString()}`;
        return;
      }
      case "jwt":
      case "jose":
      case "url":
        return;
      default:
        kind satisfies never;
    }
  }

  #bodyText(): string {
    return Buffer.from(this.#body).toString();
  }

  #root(): unknown {
    if (this.#isForm) return undefined;
    return this.#json === undefined ? parseJson(this.#body) : this.#json.value;
  }

  #putMember(members: readonly string[], value: unknown): void {
    if (!this.#isForm) this.#json = { value: withValueAt(this.#root(), members, value) };
  }

  /** Steps to the first item of the batch. */
  #itemAt(): readonly string[] {
    const { batch = "body:" } = this.#source;
    return [...stepsOf(batch.slice("body:".length)), "0"];
  }

  #pairs(): { readonly separator: string; readonly equals: string } {
    const { separator = ",", equals = "=" } = this.#source.signature.carrier[0] ?? {};
    return { separator, equals };
  }

  #entries(text: string): readonly string[] {
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
        : this.#entries(before ?? "")
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
