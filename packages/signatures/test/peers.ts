import { readFileSync } from "node:fs";
import { verify as octokitVerify } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import {
  bodyHmac,
  type HeadersLike,
  type Secret,
  type SignatureErrorCode,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
} from "../src/index.ts";
import { now } from "./attempts.ts";

export type PeerName = "standardwebhooks" | "svix" | "stripe" | "@octokit/webhooks-methods";

/** One attempt, for a peer and for us. */
export interface PeerCase {
  readonly headers: unknown;
  /** As the peer is given it: it decides what it takes. */
  readonly body: string | Uint8Array;
  /** As the peer is given it. */
  readonly secret: string;
  /** As we are given it; the peer's where nothing is said. */
  readonly ours?: Secret;
  readonly toleranceSeconds?: number;
}

export type Verdict = "accepts" | "refuses" | "throws" | "throws TypeError" | SignatureErrorCode;

/** An attempt on which a peer and this package differ; `docs/disagreements.md` has the reason for each. */
export interface Disagreement extends PeerCase {
  readonly peer: PeerName;
  readonly name: string;
  readonly theirs: Verdict;
  readonly us: Verdict;
}

interface DisagreementRow extends Omit<Disagreement, "headers" | "body"> {
  readonly headers: Record<string, string>;
  readonly as?: "Headers";
  /** Text, or base64 of the kind of bytes that `bytes` names. */
  readonly body: string;
  readonly bytes?: "Buffer" | "Uint8Array";
}

const file = new URL("../../../contracts/vectors/disagreements.json", import.meta.url);
const rows = JSON.parse(readFileSync(file, "utf8")) as readonly DisagreementRow[];

export const disagreements: readonly Disagreement[] = rows.map(({ as, bytes, ...row }) => {
  const buffer = Buffer.from(row.body, bytes === undefined ? "utf8" : "base64");
  return {
    ...row,
    headers: as === "Headers" ? new Headers(row.headers) : row.headers,
    body: bytes === undefined ? row.body : bytes === "Buffer" ? buffer : Uint8Array.from(buffer),
  };
});

interface Peer {
  readonly scheme: SignatureScheme;
  readonly verify: (given: PeerCase) => unknown;
}

const stripe = new Stripe("sk_test_none");

function header(headers: unknown, name: string): string {
  return (headers as Record<string, string>)[name] ?? "";
}

/** Each peer beside our scheme of the same form. Their clock is the test's. */
const peers: Readonly<Record<PeerName, Peer>> = {
  standardwebhooks: {
    scheme: standardWebhooks(),
    verify: ({ headers, body, secret }) =>
      new StandardWebhook(secret).verify(body as string, headers as Record<string, string>, {
        jsonParse: false,
      }),
  },
  svix: {
    scheme: standardWebhooks(),
    verify: ({ headers, body, secret }) =>
      new SvixWebhook(secret).verify(body as string, headers as Record<string, string>),
  },
  stripe: {
    scheme: timestampedHmac({ header: "stripe-signature" }),
    verify: ({ headers, body, secret, toleranceSeconds = 300 }) =>
      stripe.webhooks.signature?.verifyHeader(
        body,
        header(headers, "stripe-signature"),
        secret,
        toleranceSeconds,
        undefined,
        now,
      ),
  },
  "@octokit/webhooks-methods": {
    scheme: bodyHmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
    verify: async ({ headers, body, secret }) => {
      const genuine = await octokitVerify(
        secret,
        body as string,
        header(headers, "x-hub-signature-256"),
      );
      if (!genuine) throw new Error("not genuine");
    },
  },
};

export async function theirVerdict(peer: PeerName, given: PeerCase): Promise<Verdict> {
  try {
    await peers[peer].verify(given);
    return "accepts";
  } catch (error) {
    return error instanceof TypeError ? "throws TypeError" : "refuses";
  }
}

export function ourVerdict(peer: PeerName, given: PeerCase): Verdict {
  const { headers, body, secret, ours = secret, toleranceSeconds } = given;
  const attempt = { headers: headers as HeadersLike, body: Buffer.from(body) };
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  try {
    const verification = peers[peer].scheme.verify(attempt, [ours], { now, ...tolerance });
    return verification.ok ? "accepts" : verification.code;
  } catch (error) {
    return error instanceof TypeError ? "throws TypeError" : "throws";
  }
}
