/**
 * Opens the page's session: with the key in the address, which is taken out of it at once, or with the
 * cookie that it was exchanged for. Resolves with the token of calls that change something.
 *
 * @returns `undefined` where neither opens it.
 */
export async function openSession(): Promise<string | undefined> {
  const key = /^#key=([\w-]{1,256})$/.exec(location.hash)?.[1];
  if (key !== undefined) history.replaceState(null, "", `${location.pathname}#/`);
  const response = await fetch(
    "/inspector/session",
    key === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ key }),
        },
  );
  if (!response.ok) return undefined;
  // The sandbox's own answer.
  const { token } = (await response.json()) as { token: string };
  return token;
}
