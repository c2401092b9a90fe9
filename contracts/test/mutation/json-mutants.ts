/** A JSON value that differs from another one at a single place. */
export interface JsonMutant {
  readonly operator: "drop" | "type" | "null" | "enum" | "swap" | "digits" | "extra";
  readonly pointer: string;
  readonly value: unknown;
}

/** Values of one kind, each of which every schema accepts instead of another. */
const KINDS: readonly (readonly string[])[] = [
  ["PENDING", "AUTHORIZED"],
  ["CREATED", "ACTIVE", "INACTIVE"],
  ["DUPLICATE_REQUEST_KEY", "PAYMENT_NOT_FOUND"],
  ["PAYMENT_NOT_FOUND", "CUSTOMER_NOT_FOUND"],
  ["UNAUTHENTICATED", "INSUFFICIENT_SCOPE"],
  ["INVALID_REQUEST", "INVALID_AMOUNT"],
  ["PAYMENT_ALREADY_REFUNDED", "PAYMENT_NOT_REFUNDABLE"],
  ["invalid_request", "invalid_client"],
];

/** Mutants by operators that know JSON and no schema. Free text is not replaced by other free text. */
export const jsonMutants = (root: unknown): readonly JsonMutant[] => at(root, "", (value) => value);

type Put = (value: unknown) => unknown;

function at(value: unknown, pointer: string, put: Put): readonly JsonMutant[] {
  const made = (operator: JsonMutant["operator"], mutated: unknown): JsonMutant => ({
    operator,
    pointer,
    value: put(mutated),
  });
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return [
      made("type", {}),
      made("drop", []),
      ...list.flatMap((item, index) =>
        at(item, `${pointer}/${index}`, (inner) =>
          put(list.map((one, place) => (place === index ? inner : one))),
        ),
      ),
    ];
  }
  if (typeof value === "object" && value !== null) {
    // An object of JSON.
    const members = value as Readonly<Record<string, unknown>>;
    return [
      ...(pointer === "" ? [] : [made("type", []), made("null", null)]),
      made("extra", { ...members, notAgreed: 1 }),
      ...Object.keys(members).flatMap((name) => {
        const { [name]: inner, ...rest } = members;
        return [
          { operator: "drop" as const, pointer: `${pointer}/${name}`, value: put(rest) },
          ...at(inner, `${pointer}/${name}`, (changed) => put({ ...members, [name]: changed })),
        ];
      }),
    ];
  }
  if (typeof value === "string") {
    const isCode = /^[A-Z][A-Z_]{2,}$/.test(value);
    const isDigits = /^\d+$/.test(value);
    const isTime = /\.\d{3}Z$/.test(value);
    const kind = KINDS.find((one) => one.includes(value));
    const other = kind?.find((one) => one !== value);
    return [
      made("type", 7),
      made("null", null),
      ...(isCode ? [made("enum", "NOT A VALUE")] : []),
      ...(other === undefined ? [] : [made("swap", other)]),
      ...(isDigits ? [made("digits", `${value}0`)] : []),
      ...(isTime ? [made("digits", value.replace("Z", "000Z"))] : []),
    ];
  }
  if (typeof value === "number")
    return [made("type", String(value)), made("null", null), made("digits", value + 0.001)];
  if (typeof value === "boolean")
    return [made("type", String(value)), made("null", null), made("swap", !value)];
  return [made("type", 7), made("swap", "not-null")];
}
