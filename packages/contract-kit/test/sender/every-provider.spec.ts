import { providersByName } from "@countersign/schemas/providers-by-name";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { expect, it, onTestFinished } from "vitest";
import { attemptMaker } from "../../src/attempts.ts";
import { requirements } from "../../src/check.ts";
import { senderChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import { openSender } from "../../src/sender/open-sender.ts";
import type { CommandFacts } from "../../src/target.ts";

/** Sends one event as the provider does, and another one in each call. */
function senderOf(provider: ProviderDocument) {
  let count = 0;
  return async ({ url, secret, type }: CommandFacts): Promise<void> => {
    count += 1;
    const row = { ...provider.catalogue?.find((one) => one.type === type), type };
    const at = new URL(url);
    const prefix = `sent${count}`;
    const maker = attemptMaker({ provider, url: at, secrets: [secret], prefix, rows: [row] });
    const { method, headers, body, path = at.pathname + at.search } = maker.attempt();
    await fetch(new URL(path, at), {
      method,
      body: Buffer.from(body),
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      redirect: "manual",
    });
  };
}

const stop = (): void => undefined;

/** The findings of `verify sender`; `undefined` if only the provider has the keys. */
async function findingsOf(provider: ProviderDocument) {
  const send = senderOf(provider);
  const trigger = (facts: CommandFacts) => ({ ended: send(facts), stop });
  const opened = await openSender({ provider, commands: { trigger } }).catch((error: unknown) => {
    const { cause } = error as Error;
    if (error instanceof TypeError || cause instanceof TypeError) return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  onTestFinished(opened.close);
  const checks = senderChecks.filter(({ id }) => id === "sender/deliveries");
  const { findings } = await run({ target: opened.target, checks, requirements: requirements() });
  return new Map(
    findings.map(({ requirement, status, message }) => [requirement.id, { status, message }]),
  );
}

it(
  "a sender of each provider's document passes, and what its scheme lacks is not applicable",
  { tags: "ci" },
  async () => {
    const known = [...providersByName.values()];
    const found: (readonly [string, Awaited<ReturnType<typeof findingsOf>>])[] = [];
    // A few at a time: Paddle's attempts are valid for five seconds.
    for (let start = 0; start < known.length; start += 6)
      found.push(
        // oxlint-disable-next-line no-await-in-loop
        ...(await Promise.all(
          known
            .slice(start, start + 6)
            .map(async (provider) => [provider.name, await findingsOf(provider)] as const),
        )),
      );
    const verified = found.flatMap(([name, findings]) =>
      findings ? [[name, findings] as const] : [],
    );
    const wrong = verified.flatMap(([name, findings]) =>
      [...findings].flatMap(([id, { status, message }]) =>
        ["pass", "not_applicable"].includes(status) ? [] : [`${name} ${id}: ${message}`],
      ),
    );
    expect(wrong).toEqual([]);
    expect(verified.length).toBeGreaterThan(50);
    const github = new Map(verified).get("github");
    expect(github?.get("P-EVENT-TIMESTAMP")).toEqual({
      status: "not_applicable",
      message: "GitHub signs no time",
    });
    expect(github?.get("P-EVENT-SIGNED")?.status).toBe("pass");
  },
);
