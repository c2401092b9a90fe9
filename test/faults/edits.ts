import type { HttpAnswer, HttpCall, Send } from "@countersign/contract-kit";
import type { SandboxOptions } from "@countersign/service/sandbox";
import type { Fault } from "../../packages/contract-kit/test/provider/open-target.ts";

/** A mistake of a service, planted around it: in its settings, its calls, its states or its attempts. */
export interface ProviderFault {
  /** The broken promise and its victim. */
  readonly breaks: string;
  /** The requirement that fails with it. */
  readonly fails: string;
  /** Plants it anew: some mistakes remember earlier calls. */
  readonly plant: () => Plant;
}

/** Mistakes by their ids. */
export type ProviderFaults = Readonly<Record<string, ProviderFault>>;

export interface Plant {
  /** Changes calls of the interface, or their answers. */
  readonly call?: Fault;
  /** Changes calls that prepare states. */
  readonly state?: Fault;
  /** Changes attempts on their way to the receiver, or its answers. */
  readonly attempt?: AttemptFault;
  readonly service?: Partial<SandboxOptions>;
}

/** Signs a changed attempt, by default with the secret that signed it before. */
export type Sign = (attempt: HttpCall, secretKey?: string) => HttpCall;

export type AttemptFault = (
  attempt: HttpCall,
  next: Send,
  sign: Sign,
  secretKey: string,
) => Promise<HttpAnswer>;

export type Members = Readonly<Record<string, unknown>>;

/** The members to replace; `undefined` removes one. `false` or `undefined` leaves the body as it is. */
export type Change = (members: Members) => Members | false | undefined;

/** Changes a body that is a JSON object, and keeps the text of its numbers. */
export function edited<Body extends string | Uint8Array>(
  body: Body,
  change: Change,
): Body | Buffer {
  const members = parsed(body);
  const changed = members && change(members);
  return changed ? Buffer.from(JSON.stringify({ ...members, ...changed })) : body;
}

/** Changes a member that is text. */
export const text =
  (name: string, change: (text: string) => string): Change =>
  ({ [name]: value }) =>
    typeof value === "string" && { [name]: change(value) };

/** Changes one value of a member to another. */
export const instead =
  (name: string, value: unknown, other: unknown): Change =>
  (members) =>
    members[name] === value && { [name]: other };

/** Changes a member that is an object. */
export const within =
  (name: string, change: Change): Change =>
  (members) => {
    const inner = membersAt(members, name);
    const changed = change(inner);
    return changed && { [name]: { ...inner, ...changed } };
  };

/** The members of a body, its numbers as raw JSON; `undefined` if it is no JSON object. */
export function parsed(body: string | Uint8Array | undefined): Members | undefined {
  try {
    const value: unknown = JSON.parse(textOf(body), rawNumber);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a number's text. TypeScript's library does not know the third argument of a reviver yet. */
function rawNumber(_name: string, value: unknown, ...more: readonly unknown[]): unknown {
  const [context] = more as readonly [{ readonly source: string }];
  return typeof value === "number" ? JSON.rawJSON(context.source) : value;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text of a number that `edited` has kept. */
export function numberText(value: unknown): string | undefined {
  return isMembers(value) && typeof value["rawJSON"] === "string" ? value["rawJSON"] : undefined;
}

export const textOf = (body: string | Uint8Array | undefined): string =>
  Buffer.from(body ?? "").toString();

/** The members of an object's member; empty for anything but an object. */
export function membersAt(members: Members | undefined, name: string): Members {
  const value = members?.[name];
  return isMembers(value) ? value : {};
}
