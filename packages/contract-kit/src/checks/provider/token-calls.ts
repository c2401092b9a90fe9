import { validateTokenError, validateTokenResponse } from "@countersign/schemas/writers";
import { shown } from "./refunds.ts";
import type { Reading, Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

export interface TokenCall {
  readonly client: Credentials;
  /** Where the credentials stand (RFC 6749, section 2.3.1). */
  readonly by: "basic" | "body";
  readonly scope?: string;
}

/**
 * Asks for an access token by client credentials.
 *
 * @throws {Violation} `P-ANSWER-SCHEMA`: the answer is not of its schema.
 */
export async function askToken(
  session: Session,
  { client, by, scope }: TokenCall,
): Promise<Reading> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(by === "body" && { client_id: client.id, client_secret: client.secret }),
  });
  const answer = await session.call("POST", session.target.profile.token.path, {
    text: form.toString(),
    headers: {
      authorization: by === "basic" ? `Basic ${basicOf(client)}` : undefined,
      "content-type": "application/x-www-form-urlencoded",
    },
    isUnjudged: true,
  });
  const judge = answer.status < 300 ? validateTokenResponse : validateTokenError;
  const validation = judge(answer.body);
  must("P-ANSWER-SCHEMA", validation.ok, () => {
    const faults = validation.ok ? [] : validation.errors;
    const lines = faults.map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
    return `the token endpoint → ${shown(answer)}: ${lines.join("; ")}`;
  });
  return answer;
}

/** The two, each encoded as a form's value, as RFC 6749 has it. */
export function basicOf({ id, secret }: Credentials): string {
  const [name, word] = [id, secret].map((one) => encodeURIComponent(one));
  return Buffer.from(`${name}:${word}`).toString("base64");
}

/** A call that needs the token and moves nothing: whose customer it names is nobody's. */
export function callWith(session: Session, token: unknown): Promise<Reading> {
  return session.call("GET", "/v1/customers/cus_that_is_not_there", {
    headers: { authorization: `Bearer ${String(token)}` },
  });
}
