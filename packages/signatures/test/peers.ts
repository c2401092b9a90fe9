import { verify as octokitVerify } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { Stripe } from "stripe";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import {
  type HeadersLike,
  schemeOf,
  type Secret,
  type SignatureScheme,
  standardWebhooks,
} from "../src/index.ts";
import { documentOf } from "./provider-files.ts";
import { now, NOW_SECONDS, OTHER_SECRET, SECRET } from "./attempts.ts";

/** One attempt, for a peer and for us; a peer is given its body and its secret as they are. */
export interface PeerCase {
  readonly headers: Headers | Record<string, string>;
  readonly body: string | Uint8Array;
  readonly secret: string;
  /** The secret as this package is given it, if it is another than the peer's. */
  readonly ours?: Secret;
  readonly toleranceSeconds?: number;
}

interface Peer {
  readonly scheme: SignatureScheme;
  readonly secrets: readonly [string, string];
  /** True or nothing for a genuine attempt. The casts pass on what the peer's types refuse. */
  readonly verify: (given: PeerCase, headers: Record<string, string>) => unknown;
}

const stripe = new Stripe("sk_test_none");
const whsec = [SECRET, OTHER_SECRET] as const;
const text = ["whsec_used_as_it_stands_by_some", "whsec_another_secret_of_this_one"] as const;

/** Each peer and our scheme of the same form. Their clock is the test's. */
export const peers = {
  standardwebhooks: {
    scheme: standardWebhooks(),
    secrets: whsec,
    verify: ({ body, secret }, headers) =>
      new StandardWebhook(secret).verify(body as string, headers, { jsonParse: false }) ?? true,
  },
  svix: {
    scheme: standardWebhooks(),
    secrets: whsec,
    verify: ({ body, secret }, headers) =>
      new SvixWebhook(secret).verify(body as string, headers) ?? true,
  },
  stripe: {
    scheme: schemeOf(documentOf("stripe")),
    secrets: text,
    verify: ({ body, secret, toleranceSeconds = 300 }, { "stripe-signature": sent = "" }) =>
      stripe.webhooks.signature?.verifyHeader(body, sent, secret, toleranceSeconds, undefined, now),
  },
  "@octokit/webhooks-methods": {
    scheme: schemeOf(documentOf("github")),
    secrets: text,
    verify: ({ body, secret }, { "x-hub-signature-256": sent = "" }) =>
      octokitVerify(secret, body as string, sent),
  },
} satisfies Record<string, Peer>;
export type PeerName = keyof typeof peers;

export async function theirVerdict(peer: PeerName, given: PeerCase): Promise<string> {
  try {
    const { verify }: Peer = peers[peer];
    const genuine = await verify(given, given.headers as Record<string, string>);
    return genuine === false ? "refuses" : "accepts";
  } catch (error) {
    return error instanceof TypeError ? "throws TypeError" : "refuses";
  }
}

export function ourVerdict(peer: PeerName, given: PeerCase): string {
  const { headers, body, secret, ours = secret, toleranceSeconds } = given;
  const attempt: { headers: HeadersLike; body: Uint8Array } = { headers, body: Buffer.from(body) };
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  try {
    const verification = peers[peer].scheme.verify(attempt, [ours], { now, ...tolerance });
    return verification.ok ? "accepts" : verification.code;
  } catch (error) {
    return error instanceof TypeError ? "throws TypeError" : "throws";
  }
}

/** Attempts on the strict grammar: what was signed when by whom, and what was sent. */
const attemptsOf = (signers: readonly string[], latest: number) =>
  fc.record({
    id: fc.stringMatching(/^[A-Za-z0-9_-]{1,256}$/),
    ahead: fc.oneof(
      fc.integer({ min: -302, max: latest }),
      fc.constantFrom(-301, -300, Math.min(latest, 300), Math.min(latest, 301)),
    ),
    value: fc.json(),
    signedBy: fc.constantFrom(...signers),
    sent: fc.constantFrom("as signed", "with another body", "with another signature"),
  });

/** Peers read names as Node has them. */
const namesInLower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export interface Comparison {
  /** Attempts that this package accepts, and that a change, a foreign secret or the time forbids. */
  readonly falseAccepts: readonly string[];
  /** Genuine attempts that this package refuses. */
  readonly falseRefusals: readonly string[];
  /** Attempts on which the peer decides otherwise. */
  readonly otherVerdicts: readonly string[];
  readonly accepted: number;
  readonly refused: number;
}

/** Verifies generated attempts with this package and with a peer, both on the test's clock. */
export async function compareWith(
  peer: PeerName,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<Comparison> {
  const { scheme, secrets } = peers[peer];
  // A peer that is lax by design ends the strict grammar: stripe accepts every future time.
  const latest = peer === "stripe" ? 0 : 302;
  const [falseAccepts, falseRefusals, otherVerdicts]: [string[], string[], string[]] = [[], [], []];
  const counts = { accepted: 0, refused: 0 };
  for (const attempt of fc.sample(attemptsOf(secrets, latest), { numRuns: runs, seed })) {
    const { id, ahead, value, signedBy, sent } = attempt;
    const message = { id, timestamp: NOW_SECONDS + ahead, body: Buffer.from(value) };
    const genuine = namesInLower(scheme.sign(message, [signedBy]).headers);
    const foreign = namesInLower(
      scheme.sign({ ...message, body: Buffer.from("{}") }, [signedBy]).headers,
    );
    const given = {
      headers: sent === "with another signature" ? foreign : genuine,
      body: sent === "with another body" ? `${value} ` : value,
      secret: secrets[0],
    };
    const isSame = sent === "as signed" || (sent === "with another signature" && value === "{}");
    // A scheme that signs the body only has no time to be too old.
    const isInTime = peer === "@octokit/webhooks-methods" || Math.abs(ahead) <= 300;
    const mayPass = isSame && isInTime && signedBy === secrets[0];
    const passes = ourVerdict(peer, given) === "accepts";
    counts[passes ? "accepted" : "refused"] += 1;
    const line = JSON.stringify(attempt);
    if (passes && !mayPass) falseAccepts.push(line);
    if (!passes && mayPass) falseRefusals.push(line);
    // One at a time: their clock is a fake that no await may outlive.
    // oxlint-disable-next-line no-await-in-loop
    if (((await theirVerdict(peer, given)) === "accepts") !== passes) otherVerdicts.push(line);
  }
  return { falseAccepts, falseRefusals, otherVerdicts, ...counts };
}
