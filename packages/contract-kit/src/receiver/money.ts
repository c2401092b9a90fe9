import { pointerOf, type Steps, valueAt, withValueAt } from "@countersign/schemas";
import type { ReceiverCheck } from "../check.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { isRecord, parseJson, valuesIn, withMembers } from "../values.ts";
import { receiverCheck } from "./receiver-check.ts";

const EXACT = "R-MONEY-EXACT";

/** Cents that binary fractions, their products with 100, and 32 bits do not hit, and a free month. */
const TRAPS = [
  0, 1, 29, 57, 110, 115, 435, 820, 1001, 1999, 6410, 102_512, 2_147_483_648, 9_999_999_999,
];
/** Cents that every arithmetic hits: they show how an amount of the body becomes one of the effects. */
const SAFE = [1200, 3600];
const DRAWN = 8;

export const money: ReceiverCheck = receiverCheck({
  id: "receiver/money",
  title: "amounts reach a handler to the cent",
  requirements: [EXACT],
  needs: ["effects", "json", "bytes"],
  run: async (kit) => {
    const reason = "no amounts: no amount of a body appears as amountCents of the effects";
    kit.verdicts.notApplicable(EXACT, reason);
    const drawn = Array.from({ length: DRAWN }, (_, index) => {
      return ((kit.seed * 7_919_011 + index * 104_729) % 999_999) + 1;
    });
    for (const row of kit.events.rows)
      for (const form of ["whole", "decimal"] as const) {
        const order = { row, form };
        const safe = await handledAmounts(kit, { ...order, all: SAFE, isPlain: true });
        const [ratio = 0, ...others] = safe.map(({ cents, got }) => Number(got) / cents);
        // An amount in cents, or in units of 100 cents that were written as if they were cents.
        if (![1, 100].includes(ratio) || others.some((other) => other !== ratio)) continue;
        const all = [...TRAPS, ...drawn, ...SAFE, ...SAFE, ...SAFE];
        const sent = await handledAmounts(kit, { ...order, all });
        for (const { cents, printed, got, reply } of sent) {
          const expected = `an event of ${printed}: expected ${cents * ratio} cents at the handler`;
          const isExact = reply.isAcknowledged && got === String(cents * ratio);
          kit.expect(EXACT, isExact, `${expected}, got ${got}`, reply);
        }
        if (form === "decimal" || ratio !== 1) continue;
        // A provider writes the currency in one of these ways.
        for (const currency of ["JPY", "jpy"])
          for (const { cents, got, reply } of await handledAmounts(kit, {
            ...order,
            all: SAFE,
            currency,
          })) {
            const message = `an event of ${cents} ${currency}, which has no smaller unit: got ${got}`;
            kit.expect(EXACT, got !== String(cents * 100), message, reply);
          }
      }
  },
});

interface Amounts {
  readonly row: KitSender["events"]["rows"][number];
  readonly form: NumberForm;
  readonly all: readonly number[];
  /** True to print all of them with two decimals; otherwise each in the next way in which JSON prints numbers. */
  readonly isPlain?: boolean;
  /** Default: that of the example. */
  readonly currency?: string;
}

async function handledAmounts(kit: KitSender, { row, form, all, isPlain, currency }: Amounts) {
  const attempts = all.map((cents, index) => {
    const printing = isPlain === true ? 0 : index;
    const body = (text: string): string => {
      const made = withAmounts(text, cents, form, printing);
      return currency === undefined
        ? made
        : withMembers(made, { currency, currency_code: currency }, NAMES);
    };
    return {
      ...kit.attempt({ row, body }),
      cents,
      printed: form === "whole" ? inUnits(cents) : FORMS[form](cents, printing),
    };
  });
  const sent = await kit.postAll(attempts);
  const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
  const seen = await kit.waitForEffects(accepted.map(({ event }) => event));
  return sent.flatMap((one) => {
    const { isAcknowledged, summary } = one.reply;
    // The payment interface's own schemas bound its amounts: a refusal of others is right.
    const refused = row.kind === undefined ? summary : undefined;
    const got = isAcknowledged ? seen?.of(one.event)?.amountCents : refused;
    return got === undefined ? [] : [{ ...one, got }];
  });
}

/** Forms of cents in a body. JSON has three for 12.00: who removes the dot of each reads three amounts. */
const FORMS = {
  whole: (cents: number) => String(cents),
  decimal: (cents: number, printing: number) =>
    inUnits(cents).replace([/$/, /0$/, /\.?0+$/][printing % 3] ?? "", ""),
  wholeText: (cents: number) => `"${cents}"`,
  decimalText: (cents: number) => `"${inUnits(cents)}"`,
} as const;

type Form = keyof typeof FORMS;
type NumberForm = "whole" | "decimal";

/** Cents as a decimal number of whole units, such as `12.00`. */
function inUnits(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** Members in which vendors' events have amounts, from the event's object on, by the form that is usual there. */
const USUAL: Readonly<Partial<Record<Form, string>>> = {
  whole:
    "amount amount_total amount_received amount_refunded amount_captured amount_paid amount_due amount_cents total " +
    "value amount_money/amount payment/amount_money/amount refund/amount_money/amount",
  wholeText: "totals/total totals/grand_total details/totals/total details/totals/grand_total",
  decimalText: "total_price subtotal_price price grand_total",
};
/** Names of members that are amounts in the user's samples and schemas. */
const NAMES = /amount|total|price|value|cents|paid|gross|net|cost|fee/i;
/** Objects of a body that may be the event's. */
const OBJECTS: readonly Steps[] = [[], ["data"], ["data", "object"]];

interface Place {
  readonly steps: Steps;
  readonly form: Form;
}

/**
 * A JSON body with one amount in each member that has one: in its own, or else in those of vendors' events.
 *
 * @param numbers The form of amounts that are numbers in the body.
 * @param printing The way in which decimal numbers are printed; each third one is the same.
 */
export function withAmounts(
  text: string,
  cents: number,
  numbers: NumberForm,
  printing = 0,
): string {
  const body = parseJson(text);
  const own = amountsIn(body, numbers);
  const places = own.length > 0 ? own : usualPlaces(body);
  const marked = places.reduce<unknown>(
    (before, { steps, form }) => withValueAt(before, steps, `cstest-${form}`),
    body,
  );
  return JSON.stringify(marked).replaceAll(/"cstest-(\w+)"/g, (mark, form: string) =>
    form in FORMS ? FORMS[form as Form](cents, printing) : mark,
  );
}

function usualPlaces(body: unknown): readonly Place[] {
  // A batch is a list of one event.
  const root = Array.isArray(body) ? [0] : [];
  const isObject = (steps: Steps): boolean =>
    isRecord(valueAt(body, pointerOf([...root, ...steps])));
  const objects = isObject(["data"]) ? OBJECTS.slice(1).filter(isObject) : [[], ["data"]];
  return Object.entries(USUAL).flatMap(([form, members]) =>
    objects.flatMap((steps) =>
      members.split(" ").map((member) => ({
        steps: [...root, ...steps, ...member.split("/")],
        // An entry's name is a key of the table.
        form: form as Form,
      })),
    ),
  );
}

/** The amounts among the members of the user's samples and schemas. */
function amountsIn(body: unknown, numbers: NumberForm): readonly Place[] {
  return valuesIn(body).flatMap(([steps, value]): readonly Place[] => {
    if (!NAMES.test(String(steps.at(-1)))) return [];
    if (typeof value === "number") return [{ steps, form: numbers }];
    if (typeof value !== "string" || !/^\d+(?:\.\d+)?$/.test(value)) return [];
    return [{ steps, form: value.includes(".") ? "decimalText" : "wholeText" }];
  });
}
