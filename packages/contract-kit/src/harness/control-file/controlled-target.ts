import type { Send } from "../../http.ts";
import type { ProviderControls, ProviderTarget, Watch } from "../../target.ts";
import { clientToken } from "../client-token.ts";
import { valueAt } from "../delivered-event.ts";
import { amountText } from "../../checks/provider/refunds.ts";
import type { ControlDocument, ControlName } from "./control-document.ts";
import { filled, filledBody, namesIn, textsIn } from "./template.ts";

export interface ControlledOptions {
  readonly control: ControlDocument;
  /** Carries the calls of the hooks, below `url`. */
  readonly send: Send;
  /** Base URL of the hooks, for the lines that show a failure. */
  readonly url: string;
  /** Variables of the environment that `{{env.…}}` names, without `env.`. */
  readonly env: ReadonlyMap<string, string>;
}

/** The names of the variables that a document's places name. */
export function variablesOf(control: ControlDocument): readonly string[] {
  const names = textsIn(control, "").flatMap(([, text]) => namesIn(text));
  return [...new Set(names.filter((name) => name.startsWith("env.")).map((name) => name.slice(4)))];
}

/** A target with the controls that a document maps; what it does not map stays `not_applicable`. */
export function controlledTarget(
  target: ProviderTarget,
  options: ControlledOptions,
): ProviderTarget {
  return { ...target, controls: (watch) => controlsOf(target, options, watch) };
}

function controlsOf(
  target: ProviderTarget,
  options: ControlledOptions,
  watch: Watch,
): ProviderControls {
  const send = watch(options.send, options.url);
  const { controls } = options.control;
  const does =
    (name: ControlName) =>
    async (given: Readonly<Record<string, string>> = {}): Promise<ReadonlyMap<string, string>> =>
      play(name, { ...given, token: await target.token() }, { ...options, send });
  const events = controls.emitEvent && {
    emit: async (type: string) => taken(await does("emitEvent")({ type }), "eventId"),
    // Reserved names never resolve (RFC 2606).
    callbackUrl: "https://receiver.invalid/webhooks",
  };
  const now = async (): Promise<number> => {
    const text = taken(await does("readClock")(), "now");
    const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
    if (Number.isNaN(at)) throw new Error(`readClock: ${JSON.stringify(text)} is no time`);
    return at;
  };
  return {
    ...(controls.createPayment && {
      payments: {
        create: async (amountCents: bigint) => {
          const amount = amountText(amountCents);
          const made = await does("createPayment")({ amount, amountCents: String(amountCents) });
          return { paymentId: taken(made, "paymentId"), customerId: taken(made, "customerId") };
        },
        ...(controls.settlePayment && {
          settle: async (paymentId: string, at: number) => {
            const settledAt = new Date(at).toISOString();
            await does("settlePayment")({ paymentId, settledAt, settledAtMs: String(at) });
          },
        }),
        ...(controls.failPayment && {
          fail: async (paymentId: string) => void (await does("failPayment")({ paymentId })),
        }),
        ...(controls.coverPayment && {
          cover: async (paymentId: string) => void (await does("coverPayment")({ paymentId })),
        }),
      },
    }),
    ...(controls.readClock &&
      controls.advanceClock && {
        clock: {
          now,
          advance: async (ms: number) => {
            const seconds = String(Math.ceil(ms / 1000));
            const to = new Date((await now()) + ms).toISOString();
            await does("advanceClock")({ ms: String(ms), seconds, duration: `PT${seconds}S`, to });
          },
        },
      }),
    ...(events && { events }),
    ...(controls.expireToken && {
      tokens: {
        expire: async (accessToken: string) => void (await does("expireToken")({ accessToken })),
      },
    }),
    ...(controls.createMerchant && {
      merchant: async () => merchantOf(target, await does("createMerchant")(), options),
    }),
  };
}

function merchantOf(
  target: ProviderTarget,
  made: ReadonlyMap<string, string>,
  options: ControlledOptions,
): ProviderTarget {
  const { other: _, client: __, ...rest } = target;
  const [id, secret, token] = [made.get("clientId"), made.get("clientSecret"), made.get("token")];
  const client = id === undefined || secret === undefined ? undefined : { id, secret };
  const { send, profile } = target;
  const source =
    client === undefined || token !== undefined
      ? () => Promise.resolve(token ?? "")
      : clientToken({ send, path: profile.token.path, client });
  return controlledTarget({ ...rest, token: source, ...(client && { client }) }, options);
}

async function play(
  name: ControlName,
  given: Readonly<Record<string, string>>,
  { control, send, env }: ControlledOptions,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map([
    ...[...env].map(([variable, value]) => [`env.${variable}`, value] as const),
    ...Object.entries(given),
  ]);
  for (const { method, path, headers, body, take = {} } of control.controls[name] ?? []) {
    const all = { ...control.headers, ...headers };
    const fields = Object.entries(all).map(([field, text]) => [field, filled(text, values)]);
    // oxlint-disable-next-line no-await-in-loop -- a later call names what an earlier one took
    const answer = await send({
      method,
      path: filled(path, values, encodeURIComponent),
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        // Names and values of pairs that were made just now.
        ...(Object.fromEntries(fields) as Record<string, string>),
      },
      ...(body !== undefined && { body: filledBody(body, values) }),
    });
    const text = Buffer.from(answer.body).toString();
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${name}: ${method} ${path} → ${answer.status} ${text.slice(0, 200)}`);
    for (const [value, pointer] of Object.entries(take))
      values.set(value, found(text, pointer, `${name}: ${method} ${path}`));
  }
  return values;
}

function found(text: string, pointer: string, call: string): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${call} answered no JSON`, { cause });
  }
  const value = valueAt(json, pointer);
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new Error(`${call} answered nothing at ${pointer}`);
}

function taken(values: ReadonlyMap<string, string>, name: string): string {
  const value = values.get(name);
  if (value === undefined) throw new Error(`nothing took ${name}`);
  return value;
}
