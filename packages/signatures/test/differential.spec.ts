import { readFileSync } from "node:fs";
import { verify as octokitVerify } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { Stripe } from "stripe";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  bodyHmac,
  type HeadersLike,
  type Secret,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
} from "../src/index.ts";
import { ids } from "./arbitraries.ts";
import { now, NOW_SECONDS, OTHER_SECRET, SECRET } from "./attempts.ts";

// The peers read the machine's clock: it stands where ours does.
beforeAll(() => vi.useFakeTimers({ now, toFake: ["Date"] }));
afterAll(() => vi.useRealTimers());

/** One attempt, for a peer and for us; a peer is given its body and its secret as they are. */
interface PeerCase {
  readonly headers: Headers | Record<string, string>;
  readonly body: string | Uint8Array;
  readonly secret: string;
  /** The secret as this package is given it, if it is another than the peer's. */
  readonly ours?: Secret;
  readonly toleranceSeconds?: number;
}

/** An attempt on which a peer and this package differ; its `why` is in the reference for readers. */
interface Row extends PeerCase {
  readonly peer: PeerName;
  readonly name: string;
  readonly theirs: string;
  readonly us: string;
  readonly headers: Record<string, string>;
  readonly as?: "Headers";
  /** Text, or base64 of the kind of bytes that `bytes` names. */
  readonly body: string;
  readonly bytes?: "Buffer" | "Uint8Array";
}

const file = new URL("../../../contracts/vectors/disagreements.json", import.meta.url);
const disagreements = JSON.parse(readFileSync(file, "utf8")) as readonly Row[];

function caseOf({ as, bytes, headers, body, ...row }: Row): PeerCase {
  const buffer = Buffer.from(body, "base64");
  return {
    ...row,
    headers: as === "Headers" ? new Headers(headers) : headers,
    body: bytes === undefined ? body : bytes === "Buffer" ? buffer : Uint8Array.from(buffer),
  };
}

interface Peer {
  readonly scheme: SignatureScheme;
  readonly secrets: readonly [string, string];
  /** True or nothing for a genuine attempt. The casts pass on what the peer's types refuse. */
  readonly verify: (given: PeerCase, headers: Record<string, string>) => unknown;
}

const stripe = new Stripe("sk_test_none");
const whsec = [SECRET, OTHER_SECRET] as const;
const text = ["whsec_used_as_it_stands_by_some", "another_secret_of_this_length__"] as const;

/** Each peer and our scheme of the same form. Their clock is the test's. */
const peers = {
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
    scheme: timestampedHmac({ header: "stripe-signature" }),
    secrets: text,
    verify: ({ body, secret, toleranceSeconds = 300 }, { "stripe-signature": sent = "" }) =>
      stripe.webhooks.signature?.verifyHeader(body, sent, secret, toleranceSeconds, undefined, now),
  },
  "@octokit/webhooks-methods": {
    scheme: bodyHmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
    secrets: text,
    verify: ({ body, secret }, { "x-hub-signature-256": sent = "" }) =>
      octokitVerify(secret, body as string, sent),
  },
} satisfies Record<string, Peer>;
type PeerName = keyof typeof peers;

async function theirVerdict(peer: PeerName, given: PeerCase): Promise<string> {
  try {
    const { verify }: Peer = peers[peer];
    const genuine = await verify(given, given.headers as Record<string, string>);
    return genuine === false ? "refuses" : "accepts";
  } catch (error) {
    return error instanceof TypeError ? "throws TypeError" : "refuses";
  }
}

function ourVerdict(peer: PeerName, given: PeerCase): string {
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

describe.each(Object.keys(peers) as PeerName[])("on the strict grammar %s", (peer) => {
  const { scheme, secrets } = peers[peer];
  // A peer that is lax by design ends the strict grammar: stripe accepts every future time.
  const latest = peer === "stripe" ? 0 : 302;

  it("accepts and refuses what this package does", async () => {
    const attempts = fc.record({
      id: ids,
      ahead: fc.oneof(
        fc.integer({ min: -302, max: latest }),
        fc.constantFrom(-301, -300, Math.min(latest, 300), Math.min(latest, 301)),
      ),
      value: fc.json(),
      signedBy: fc.constantFrom(...secrets),
      sent: fc.constantFrom("as signed", "with another body", "with another signature"),
    });
    const verdicts = new Set<string>();

    await fc.assert(
      fc.asyncProperty(attempts, async ({ id, ahead, value, signedBy, sent }) => {
        const message = { id, timestamp: NOW_SECONDS + ahead, body: Buffer.from(value) };
        const headers = scheme.sign(message, [signedBy]);
        const foreign = scheme.sign({ ...message, body: Buffer.from("{}") }, [signedBy]);
        const given = {
          headers: sent === "with another signature" ? foreign : headers,
          body: sent === "with another body" ? `${value} ` : value,
          secret: secrets[0],
        };

        const ours = ourVerdict(peer, given);

        verdicts.add(ours);
        expect((await theirVerdict(peer, given)) === "accepts").toBe(ours === "accepts");
      }),
      { numRuns: 300 },
    );

    expect(verdicts.size).toBeGreaterThanOrEqual(2);
    expect(verdicts).toContain("accepts");
  });
});

describe("beyond the strict grammar", () => {
  it.each(disagreements)("$peer $theirs, this package: $us ($name)", async (row) => {
    expect(await theirVerdict(row.peer, caseOf(row))).toBe(row.theirs);
    expect(ourVerdict(row.peer, caseOf(row))).toBe(row.us);
  });
});
