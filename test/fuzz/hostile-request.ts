import { attemptOf, otherSecret, refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import { ACCEPTABLE, draftMutators, signedBodies, wireMutators } from "./mutators.ts";
import type { Random } from "./random.ts";

/** A request before it is written out; mutators change it. */
export interface Draft {
  method: string;
  target: string;
  version: string;
  headers: [string, string][];
  body: Buffer;
}

export interface HostileRequest {
  readonly wire: Buffer;
  /**
   * `yes`: genuine, must be handled. `no`: must never be answered 2xx. `if-whole`: may be, if the signed
   * headers and body are unchanged.
   */
  readonly acceptable: "yes" | "no" | "if-whole";
  readonly id: string;
  /** The signed values: three headers and the body. */
  readonly signed: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
  /** The names of the mutators, for the message of a failure. */
  readonly done: readonly string[];
}

/** Every twentieth request is genuine, so that a receiver that refuses everything is noticed. */
const GENUINE_EVERY = 20;

/** Makes the request of a number: a changed genuine attempt, or a hostile body with a genuine signature. */
export function hostileRequest(index: number, random: Random): HostileRequest {
  const id = `evt_${String(index)}`;
  if (index % GENUINE_EVERY === 0) return written(draftOf(refundAuthorized(id), id), id, "yes", []);

  const kind = random.int(10);
  if (kind < 2) {
    const [name, bodyOf] = random.pick(Object.entries(signedBodies));
    const acceptable = name === ACCEPTABLE ? "if-whole" : "no";
    return written(draftOf(bodyOf(id, random), id), id, acceptable, [`signed: ${name}`]);
  }
  if (kind === 2) {
    const draft = draftOf(refundAuthorized(id), id, otherSecret);
    return written(draft, id, "no", ["another secret"]);
  }
  const draft = draftOf(refundAuthorized(id), id);
  const signed = signedOf(draft);
  const done: string[] = [];
  for (let times = 1 + random.int(3); times > 0; times -= 1) {
    const [name, mutate] = random.pick(Object.entries(draftMutators));
    mutate(draft, random);
    done.push(name);
  }
  let wire = wireOf(draft);
  if (kind === 3) {
    const [name, mutate] = random.pick(Object.entries(wireMutators));
    wire = mutate(wire, random);
    done.push(name);
  }
  return { wire, id, acceptable: "if-whole", signed, done };
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature"];

function signedOf({ headers, body }: Draft): HostileRequest["signed"] {
  const signed = headers.filter(([name]) => SIGNED.includes(name));
  return { headers: Object.fromEntries(signed), body: Buffer.from(body) };
}

function written(
  draft: Draft,
  id: string,
  acceptable: HostileRequest["acceptable"],
  done: readonly string[],
): HostileRequest {
  return { wire: wireOf(draft), id, acceptable, signed: signedOf(draft), done };
}

function draftOf(event: object | string | Buffer, id: string, secret?: string): Draft {
  const { headers, body } = attemptOf(event, { id, ...(secret && { secrets: [secret] }) });
  return {
    method: "POST",
    target: "/webhooks",
    version: "HTTP/1.1",
    headers: [
      ["host", "localhost"],
      ["content-length", String(body.length)],
      ...Object.entries(headers),
    ],
    body: Buffer.from(body),
  };
}

const wireOf = ({ method, target, version, headers, body }: Draft): Buffer => {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} ${version}`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
};

/** True if the signed headers and body are unchanged; each header once if the server shows duplicates. */
export function isWhole({ wire, signed }: HostileRequest, seesDuplicates: boolean): boolean {
  const end = wire.indexOf("\r\n\r\n");
  const head = wire.subarray(0, end === -1 ? wire.length : end).toString("latin1");
  const lines = head.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const kept = Object.entries(signed.headers).every(([name, value]) => {
    const values = lines.filter(([key]) => key === name).map(([, found]) => found);
    return seesDuplicates ? values.join("\n") === value : values.includes(value);
  });
  return kept && wire.includes(signed.body);
}
