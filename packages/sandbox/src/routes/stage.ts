import {
  createMerchant,
  createToken,
  object,
  optional,
  refuseIfWrong,
  text,
  type Call,
  type Members,
  type Merchant,
  type NamespaceClocks,
  type Place,
  type Spec,
} from "@countersign/service/internal";
import { time } from "../times.ts";
import { refuseMember } from "./call.ts";

/** The merchant of a provider state, and the services that change it. */
export interface Stage {
  readonly context: Call["context"];
  readonly clocks: NamespaceClocks;
  readonly merchant: Merchant;
}

export type Values = Readonly<Record<string, unknown>>;

/** A state's raw parameters, and their place in the body. */
export type Given = readonly [value: unknown, place: Place];

/** Enters a state. @returns Values for the expressions of pacts. */
export type State = (stage: Stage, given: Given) => Promise<Values>;

/** Reads a state's own parameters and those of every state. */
export function state<S extends Spec>(
  spec: S,
  enter: (stage: Stage, params: Members<S>) => Promise<Values>,
): State {
  return (stage, [value, place]) => {
    const read = object({ ...spec, ...common })(value, place);
    // `common` adds members and removes none of the state's.
    return enter(stage, refuseIfWrong(read, place) as Members<S>);
  };
}

const common = { accessToken: optional(text(4096)), now: optional(time) };

/** A new merchant, and its credentials. */
export async function newMerchant(
  { context, clocks }: Omit<Stage, "merchant">,
  now: number | undefined,
): Promise<[Stage, Values]> {
  const scopes = Object.values(context.policy.token.scopes);
  const clock = { instant: now ?? context.clock.now() };
  const made = await createMerchant(context, { name: "Merchant of a state", clock, scopes });
  // Ids and secrets are new, so that none can be taken.
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const order = { merchantId: merchant.id, clientId: null, scopes, lifetimeSeconds: null };
  const accessToken = await createToken(context, order);
  const basicCredentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return [
    { context, clocks, merchant },
    { accessToken, clientId, clientSecret, basicCredentials },
  ];
}

/** Another merchant than the state's. */
export async function anotherStage(stage: Stage): Promise<Stage> {
  return (await newMerchant(stage, undefined))[0];
}

/** @throws {Refused} `INVALID_REQUEST`: a call that the state made was refused. */
export function done(
  outcome: { readonly ok: true } | { readonly ok: false; readonly code: string },
): Values {
  if (!outcome.ok) throw refuseMember("/params", `cannot be done: ${outcome.code}`);
  return {};
}
