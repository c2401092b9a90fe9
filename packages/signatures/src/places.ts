import { headerReader, type ReadHeader } from "./headers.ts";
import { decodeField, isUrl, memberAt, parseJson, utf8 } from "./place-values.ts";
import type { Condition } from "./provider.ts";
import type { HeadersLike } from "./scheme.ts";

export { headerReader } from "./headers.ts";
export { memberAt, parseJson, secondsOf } from "./place-values.ts";

/** A parsed place. */
export interface ParsedPlace {
  /** As the document writes it. */
  readonly text: string;
  readonly kind: "header" | "body" | "item" | "form" | "query" | "jwt" | "jose" | "url";
  /** The header, field, parameter or claim; a header's name is in lower case. */
  readonly name: string;
  /** The name of a pair inside a signature's header. */
  readonly pair?: string;
  /** The members of a JSON Pointer. */
  readonly members: readonly string[];
  /** True if the field's text is JSON, into which the pointer points. */
  readonly isJson?: true;
}

const PLACE =
  /^(?:(header):([!$%&'*+.^_`|~0-9A-Za-z-]{1,64})(?:#([!-~]{1,32}))?|(body|item):((?:\/.*)?)|(form):([^#]+)#((?:\/.*)?)|(form|query|jwt|jose):(.+)|url)$/s;

/**
 * Parses a place: `header:Name`, `header:Name#pair`, `body:/pointer`, `item:/pointer` (in an item of a batch),
 * `form:name`, `form:name#/pointer` (in a field whose text is JSON), `query:name`, `jwt:claim`, `jose:parameter` (of a
 * JWT's header) or `url`.
 *
 * @throws {TypeError} The text has another form.
 */
export function parsePlace(text: string): ParsedPlace {
  const found = typeof text === "string" ? PLACE.exec(text) : null;
  if (found === null) throw new TypeError(`invalid place ${JSON.stringify(text)}`);
  const [, header, headerName = "", pair, json, pointer = "", form, formName, inForm, ...rest] =
    found;
  const [field, fieldName = ""] = rest;
  const kind = (header ?? json ?? form ?? field ?? "url") as ParsedPlace["kind"]; // the groups have these names only
  const name = header === undefined ? (formName ?? fieldName) : headerName.toLowerCase();
  const members = (inForm ?? pointer)
    .split("/")
    .slice(1)
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
  return {
    text,
    kind,
    name,
    members,
    ...(pair !== undefined && { pair }),
    ...(form !== undefined && { isJson: true as const }),
  };
}

/** A value that can be compared or signed. Integers beyond 2^53 are their source text. */
export type PlaceValue = string | number | boolean;

/** A place that cannot be read, which is not the same as an absent value. */
export interface PlaceProblem {
  readonly place: string;
  readonly reason: "missing" | "duplicate" | "invalid";
}

/** The request whose places are read. */
export interface PlaceSource {
  readonly headers: HeadersLike;
  readonly body: Uint8Array;
  /** The absolute URL, or its path and query. */
  readonly url?: string | undefined;
  /** Parses the body; called once, and only if a place needs it. */
  readonly json?: (() => unknown) | undefined;
}

const CONTENT_TYPE = parsePlace("header:content-type");

type Fields = ReadonlyMap<string, readonly string[]>;

/** Values of an attempt that the scheme has read for the places. */
interface FromSignature {
  pairs?: readonly (readonly [name: string, value: string])[];
  claims?: Readonly<Record<string, unknown>>;
  jose?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the places of one attempt. A value that is absent is `undefined`; the first place that could not be read is the
 * `problem`, and its value is `undefined` too.
 */
export class Places {
  /** The first place that appears twice or cannot be read. */
  problem: PlaceProblem | undefined;
  /** Filled in by the scheme: the signature's pairs at once, a token's claims after its signature. */
  readonly fromSignature: FromSignature;
  readonly #source: PlaceSource;
  readonly #item: unknown;
  readonly #read: {
    header?: ReadHeader;
    form?: Fields;
    query?: Fields;
    json?: { value: unknown };
    jsonFields?: Map<string, unknown>;
  };

  constructor(source: PlaceSource, parent?: Places, item?: unknown) {
    this.#source = source;
    this.#item = item;
    this.#read = parent === undefined ? {} : parent.#read;
    this.fromSignature = parent === undefined ? {} : parent.fromSignature;
  }

  /** Returns a reader of the same attempt and of one item of its batch. */
  ofItem(item: unknown): Places {
    return new Places(this.#source, this, item);
  }

  /** Returns the text, number or boolean at a place; `undefined` for anything else. */
  value(place: ParsedPlace): PlaceValue | undefined {
    const value = this.any(place);
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : undefined;
  }

  /** Returns a value as it is signed; an absent one is a problem. */
  signedText(place: ParsedPlace): string | undefined {
    const value = this.value(place);
    const text = value === undefined ? undefined : String(value);
    if (text === undefined) return this.#refuse(place, "missing");
    // A lone surrogate and U+FFFD are the same bytes.
    return text.isWellFormed() ? text : this.#refuse(place, "invalid");
  }

  /** Returns a method as it is signed. */
  signedMethod(method: string | undefined): string | undefined {
    return method !== undefined && /^[A-Z]{1,16}$/.test(method)
      ? method
      : this.#refuse({ text: "method" }, method === undefined ? "missing" : "invalid");
  }

  /** Returns any value at a place, also a list or an object. */
  any(place: ParsedPlace): unknown {
    const { kind, name, pair, members } = place;
    switch (kind) {
      case "header":
        if (pair !== undefined) return pairOf(this.fromSignature.pairs, `${name}#${pair}`);
        return this.#header(place);
      case "body":
        return memberAt(this.#json(place), members);
      case "item":
        return memberAt(this.#item, members);
      case "form": {
        const text = this.#only(place, this.#form().get(name));
        return place.isJson && text !== undefined ? this.#jsonField(place, text) : text;
      }
      case "query":
        this.#read.query ??= this.#fields(place, this.#source.url?.match(/\?([^#]*)/)?.[1] ?? "");
        return this.#only(place, this.#read.query.get(name));
      case "jwt":
      case "jose": {
        const from = this.fromSignature[kind === "jwt" ? "claims" : "jose"];
        return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;
      }
      case "url":
        return isUrl(this.#source.url) ? this.#source.url : this.#refuse(place, "invalid");
      default:
        return kind satisfies never;
    }
  }

  /** Returns the fields of a form, each with its values; of another body an empty map. */
  #form(): Fields {
    const place = { text: "form:" };
    const text = (): string => utf8(this.#source.body) ?? this.#refuse(place, "invalid") ?? "";
    // JSON with an "&" would have fields too.
    return (this.#read.form ??= this.#isForm() ? this.#fields(place, text()) : new Map());
  }

  #isForm(): boolean {
    const type = this.value(CONTENT_TYPE);
    return typeof type !== "string" || /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
  }

  #jsonField(place: ParsedPlace, text: string): unknown {
    const fields = (this.#read.jsonFields ??= new Map<string, unknown>());
    try {
      if (!fields.has(place.name)) fields.set(place.name, parseJson(Buffer.from(text)));
    } catch {
      return this.#refuse(place, "invalid");
    }
    return memberAt(fields.get(place.name), place.members);
  }

  /** Returns the fields of a form by their names in order; a name that appears twice is a problem. */
  sortedForm(): readonly (readonly [string, string])[] {
    // The content of another body would be unsigned.
    if (!this.#isForm() && this.#source.body.length > 0) this.#refuse({ text: "form:" }, "invalid");
    const byName = [...this.#form()].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return byName.map(([name, values]) => {
      const value = this.#only({ text: `form:${name}` }, values) ?? "";
      return [name, value] as const;
    });
  }

  #refuse(place: Pick<ParsedPlace, "text">, reason: PlaceProblem["reason"]): undefined {
    this.problem ??= { place: place.text, reason };
  }

  #only(
    place: Pick<ParsedPlace, "text">,
    values: readonly string[] | undefined,
  ): string | undefined {
    return values !== undefined && values.length > 1
      ? this.#refuse(place, "duplicate")
      : values?.[0];
  }

  #header(place: ParsedPlace): string | undefined {
    const value = (this.#read.header ??= headerReader(this.#source.headers))(place.name);
    if (typeof value !== "object")
      return /^[\x20-\x7e]*$/.test(value ?? "") ? value : this.#refuse(place, "invalid");
    return this.#refuse(place, value.code.endsWith("DUPLICATE") ? "duplicate" : "invalid");
  }

  #json(place: ParsedPlace): unknown {
    if (this.#read.json === undefined) {
      const { body, json } = this.#source;
      try {
        this.#read.json = { value: json === undefined ? parseJson(body) : json() };
      } catch {
        this.#read.json = { value: undefined };
      }
    }
    const { value } = this.#read.json;
    return value === undefined ? this.#refuse(place, "invalid") : value;
  }

  /** Splits `name=value&…` and decodes each text once. */
  #fields(place: Pick<ParsedPlace, "text">, text: string): Fields {
    const fields = new Map<string, string[]>();
    for (const field of text.split("&")) {
      if (field === "") continue;
      const equals = field.indexOf("=");
      const end = equals < 0 ? field.length : equals;
      const name = decodeField(field.slice(0, end));
      const value = decodeField(field.slice(end + 1));
      if (name === undefined || value === undefined) {
        this.#refuse(place, "invalid");
        continue;
      }
      const values = fields.get(name);
      if (values === undefined) fields.set(name, [value]);
      else values.push(value);
    }
    return fields;
  }
}

/** Returns the value of a pair of a signature's header. */
export function pairOf(pairs: FromSignature["pairs"], pair: string): string | undefined {
  return pairs?.find(([name]) => name === pair)?.[1];
}

/** Judges a condition. A value that cannot be read meets none. */
export type IsMet = (places: Places) => boolean;

/**
 * Compiles a condition, or a list of which all must be met.
 *
 * @throws {TypeError} An empty list, or a condition without one of its kinds, would be met by every attempt.
 */
export function conditionOf(given: Condition | readonly Condition[]): IsMet {
  const all = [given].flat().map((one) => ({ ...one, place: parsePlace(one.at) }));
  const kinds = all.map(({ equals, startsWith, present }) => equals ?? startsWith ?? present);
  if (kinds.length === 0 || kinds.includes(undefined))
    throw new TypeError('"when" needs conditions such as { "at": "body:/type", "equals": "ping" }');
  return (places) =>
    all.every(({ place, equals, startsWith, present }) => {
      const value = places.any(place);
      if (present !== undefined) return (value !== undefined && value !== null) === present;
      return startsWith === undefined
        ? value === equals
        : typeof value === "string" && value.startsWith(startsWith);
    });
}
