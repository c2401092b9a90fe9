import type { Send } from "../http.ts";

type Members = Readonly<Record<string, unknown>>;

/** One merchant of a service with controls, in the state of one interaction. */
export interface ServiceSession {
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A call of the controls or of the interface, as this merchant. */
  readonly call: (method: string, path: string, body?: object | string) => Promise<Members>;
}

/**
 * Opens a merchant of its own, by the token of another one.
 *
 * @throws {Error} The service refused, or did not answer.
 */
export async function openMerchant(
  send: Send,
  { token, now }: { readonly token: string; readonly now?: string },
): Promise<ServiceSession> {
  const made = await callAs(send, token)("POST", "/sandbox/merchants", { ...(now && { now }) });
  const accessToken = text(made, "accessToken");
  return {
    token: accessToken,
    clientId: text(made, "clientId"),
    clientSecret: text(made, "clientSecret"),
    call: callAs(send, accessToken),
  };
}

/** A member that is text. @throws {Error} It is not. */
export function text(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== "string") throw new Error(`a control's answer has no ${name}`);
  return value;
}

/** A form at the token endpoint, as this client. @throws {Error} It was refused. */
export async function askScope(
  send: Send,
  { path, authorization, scope }: { path: string; authorization: string; scope: string },
): Promise<string> {
  const answer = await send({
    method: "POST",
    path,
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    body: `grant_type=client_credentials&scope=${scope}`,
  });
  const said = Buffer.from(answer.body).toString();
  if (answer.status !== 200) throw new Error(`POST ${path} → ${answer.status} ${said}`);
  // The token endpoint answers with an object.
  return text(JSON.parse(said) as Members, "access_token");
}

function callAs(send: Send, token: string): ServiceSession["call"] {
  return async (method, path, body) => {
    const answer = await send({
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "content-type": "application/json",
      },
      ...(method !== "GET" && {
        body: typeof body === "string" ? body : JSON.stringify(body ?? {}),
      }),
    });
    const said = Buffer.from(answer.body).toString();
    if (answer.status >= 300) throw new Error(`${method} ${path} → ${answer.status} ${said}`);
    // Every control, and every call of the interface, answers with an object.
    return JSON.parse(said) as Members;
  };
}
