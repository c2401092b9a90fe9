import type { ProviderCheck } from "../../check.ts";
import { shown } from "./refunds.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { askToken, callWith, type Credentials } from "./token-calls.ts";
import { must } from "../../harness/violation.ts";

const TOKEN = "P-AUTH-TOKEN";
const SCOPE = "P-AUTH-SCOPE";
const requirements = [TOKEN, SCOPE, "P-ANSWER-SCHEMA"];

/** Right and wrong credentials in both places, and tokens with one scope. */
export const tokens: ProviderCheck = {
  id: "provider/tokens",
  title: "a client gets a token by its credentials alone, and each token opens its scope alone",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: ["client"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { client } = session.target;
  if (client === undefined) {
    const unseen = "the target's merchant has no client that may ask for tokens";
    return { [TOKEN]: unseen, [SCOPE]: unseen };
  }
  for (const by of ["basic", "body"] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two, in order
    await requireToken(session, { client, by });
  }
  for (const [what, by, wrong] of [
    ["a wrong secret", "basic", { ...client, secret: WRONG }],
    ["a wrong secret", "body", { ...client, secret: WRONG }],
    ["an unknown client", "basic", { ...client, id: "no-such-client" }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- three, in order
    const answer = await askToken(session, { client: wrong, by });
    const isRefused = answer.status === 401 && answer.body["error"] === "invalid_client";
    must(
      TOKEN,
      isRefused,
      () => `${what} by ${by}: 401 invalid_client expected, ${said(answer)} came`,
    );
    must(TOKEN, by === "body" || answer.headers["www-authenticate"] !== undefined, () => {
      return `${what} by ${by}: WWW-Authenticate expected, none came`;
    });
  }
  return requireScopes(session, client);
}

/** Nothing of the client's own: evidence shows it. */
const WRONG = "no-secret-of-any-client";

async function requireToken(
  session: Session,
  { client, by }: { readonly client: Credentials; readonly by: "basic" | "body" },
): Promise<void> {
  const granted = await askToken(session, { client, by });
  must(
    TOKEN,
    granted.status === 200,
    () => `credentials by ${by}: 200 expected, ${said(granted)} came`,
  );
  const used = await callWith(session, granted.body["access_token"]);
  must(TOKEN, ![401, 403].includes(used.status), () => {
    return `the token that was granted by ${by} is refused: ${shown(used)}`;
  });
}

/** A token of each scope, on a call of the other one. */
async function requireScopes(session: Session, client: Credentials): Promise<Unseen | void> {
  const { token, statuses } = session.target.profile;
  const { payments, core } = token.scopes;
  if (payments === core) return { [SCOPE]: "the profile has one scope alone" };
  for (const [scope, call] of [
    [payments, (own: string) => callWith(session, own)],
    [
      core,
      (own: string) =>
        session.call("POST", "/v1/refunds", {
          json: {},
          headers: { authorization: `Bearer ${own}` },
        }),
    ],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two, in order
    const granted = await askToken(session, { client, by: "basic", scope });
    if (granted.status === 400 && granted.body["error"] === "invalid_scope")
      return { [SCOPE]: `the client may not ask for the scope ${scope}` };
    // oxlint-disable-next-line no-await-in-loop -- two, in order
    const answer = await call(String(granted.body["access_token"]));
    const challenge = answer.headers["www-authenticate"] ?? "";
    const isRefused =
      answer.status === statuses.forbidden && challenge.includes("insufficient_scope");
    must(SCOPE, isRefused, () => {
      return `a token of the scope ${scope} alone: ${statuses.forbidden} insufficient_scope expected, ${shown(answer)} came`;
    });
  }
  return undefined;
}

function said({
  status,
  body,
}: {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}): string {
  return [String(status), body["error"]].filter((one) => typeof one === "string").join(" ");
}
