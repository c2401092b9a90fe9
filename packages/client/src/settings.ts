import { profiles, type Profile } from "@countersign/schemas/profiles";
import type { ClientOptions } from "./options.ts";
import { systemSleep, type Time } from "./time.ts";

/** Validated options of a client, with every default filled in. */
export interface Settings {
  readonly origin: string;
  /** Before every path; empty or `/…` without a slash at its end. */
  readonly prefix: string;
  readonly profile: Profile;
  readonly timeouts: { readonly attemptMs: number; readonly callMs: number };
  readonly retry: RetryPolicy;
  readonly limits: {
    readonly answerBytes: number;
    readonly depth: number;
    readonly connections: number;
  };
  readonly time: Time;
  readonly random: () => number;
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly retryAfterMs: number;
}

const DAY_MS = 86_400_000;

/** @throws {TypeError} An option is invalid. The message omits its value, which may be a secret. */
export function settingsOf(options: ClientOptions): Settings {
  const { timeouts = {}, retry = {}, limits = {}, allowHttp = false } = options;
  return {
    ...baseOf(options.baseUrl, allowHttp),
    profile: profileOf(options.profile),
    timeouts: {
      attemptMs: whole("timeouts.attemptMs", timeouts.attemptMs ?? 10_000, [1, DAY_MS]),
      callMs: whole("timeouts.callMs", timeouts.callMs ?? 60_000, [1, DAY_MS]),
    },
    retry: {
      attempts: whole("retry.attempts", retry.attempts ?? 5, [1, 100]),
      baseMs: whole("retry.baseMs", retry.baseMs ?? 250, [0, DAY_MS]),
      maxMs: whole("retry.maxMs", retry.maxMs ?? 8000, [0, DAY_MS]),
      retryAfterMs: whole("retry.retryAfterMs", retry.retryAfterMs ?? 30_000, [0, DAY_MS]),
    },
    limits: {
      answerBytes: whole("limits.answerBytes", limits.answerBytes ?? 262_144, [1, 2 ** 30]),
      depth: whole("limits.depth", limits.depth ?? 16, [1, 1024]),
      connections: whole("limits.connections", limits.connections ?? 16, [1, 10_000]),
    },
    time: { now: options.now ?? Date.now, sleep: options.sleep ?? systemSleep },
    random: options.random ?? Math.random,
  };
}

/** @throws {TypeError} `value` is not a whole number of the range, both ends included. */
export function whole(
  name: string,
  value: number,
  [least, most]: readonly [number, number],
): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`client: "${name}" must be a whole number from ${least} to ${most}`);
}

function baseOf(
  baseUrl: string | undefined,
  allowHttp: boolean,
): Pick<Settings, "origin" | "prefix"> {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !["https:", "http:"].includes(url.protocol))
    throw new TypeError('client: "baseUrl" must be an absolute https URL');
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError('client: "baseUrl" must have no user name, password, query or fragment');
  if (url.protocol === "http:" && !allowHttp && !isThisMachine(url.hostname))
    throw new TypeError(
      'client: "baseUrl" must be https, since http shows the token to the network; "allowHttp" allows it',
    );
  return { origin: url.origin, prefix: url.pathname.replace(/\/$/, "") };
}

function isThisMachine(hostname: string): boolean {
  // A URL's parser has already written every spelling of an IPv4 address as four numbers.
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function profileOf(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "object") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  const names = Object.keys(profiles).map((name) => JSON.stringify(name));
  throw new TypeError(`client: no such "profile"; there are ${names.join(" and ")}`);
}
