import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { sign } from "@octokit/webhooks-methods";
import { Stripe } from "stripe";
import { vi } from "vitest";
import { clients, sharedPostgres, testPort } from "../../packages/receiver/test/inboxes/servers.ts";

const secrets = {
  STRIPE_WEBHOOK_SECRET: "whsec_9oYzVbQ2mK4sTjX7rLwD1nFgHcA5eP8u",
  GITHUB_WEBHOOK_SECRET: "It's a Secret to Everybody",
  SLACK_SIGNING_SECRET: "8f742231b10e8888abcd99yyyzzz85a5",
};

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One event of each provider, by the path of its receiver. Stripe's and GitHub's SDKs sign theirs. */
async function messages(): Promise<Readonly<Record<string, Message>>> {
  const seconds = Math.floor(Date.now() / 1000);
  const payment = JSON.stringify({
    id: "evt_1",
    object: "event",
    created: seconds,
    livemode: false,
    type: "checkout.session.completed",
    data: { object: { id: "cs_1", object: "checkout.session", amount_total: 1999 } },
  });
  const pull = JSON.stringify({ action: "opened", number: 7, repository: { id: 1 } });
  const command = "command=%2Fdeploy&text=api&trigger_id=13345224609.738474920";
  const json = { "content-type": "application/json" };
  const slack = createHmac("sha256", secrets.SLACK_SIGNING_SECRET);
  const stripe = new Stripe("sk_test_made_up").webhooks.generateTestHeaderString({
    payload: payment,
    secret: secrets.STRIPE_WEBHOOK_SECRET,
  });
  return {
    stripe: { headers: { ...json, "stripe-signature": stripe }, body: payment },
    github: {
      headers: {
        ...json,
        "x-github-event": "pull_request",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "x-hub-signature-256": await sign(secrets.GITHUB_WEBHOOK_SECRET, pull),
      },
      body: pull,
    },
    slack: {
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-slack-request-timestamp": String(seconds),
        "x-slack-signature": `v0=${slack.update(`v0:${String(seconds)}:${command}`).digest("hex")}`,
      },
      body: command,
    },
  };
}

/** The answers to each provider's attempts, the rows that the handlers wrote, and the exit code. */
interface Run {
  readonly answers: Readonly<Record<string, readonly ("acknowledged" | number)[]>>;
  readonly tasks: readonly string[];
  readonly exitCode: unknown;
}

/** A run in which each event was handled once, and the forged attempts were refused. */
const answers = ["acknowledged", "acknowledged", 401] as const;
export const EXPECTED: Run = {
  answers: { stripe: answers, github: answers, slack: answers },
  tasks: ["deploy api", "review 7", "ship cs_1"],
  exitCode: 0,
};

/** Starts the example of three providers, sends it each event twice and a forged one, and stops it. */
export async function runExample(program: readonly string[], folder: string): Promise<Run> {
  const postgres = await sharedPostgres();
  const name = await postgres.create();
  const pool = await clients.postgres(postgres.port, name);
  const port = await testPort();
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...process.env, ...secrets, DATABASE_URL: postgres.urlOf(name), PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  try {
    await Promise.race([once(child.stdout, "data"), closed]);
    const got: Record<string, ("acknowledged" | number)[]> = {};
    for (const [provider, { headers, body }] of Object.entries(await messages()))
      for (const sent of [body, body, `${body} `]) {
        const url = `http://127.0.0.1:${String(port)}/webhooks/${provider}`;
        // oxlint-disable-next-line no-await-in-loop -- the second attempt comes after the first
        const { ok, status } = await fetch(url, { method: "POST", headers, body: sent });
        (got[provider] ??= []).push(ok ? "acknowledged" : status);
      }
    const tasks = await vi.waitFor(async () => {
      const { rows } = await pool.query<{ task: string }>(
        "SELECT what || ' ' || subject AS task FROM tasks ORDER BY 1",
      );
      if (rows.length < 3) throw new Error("a worker is not done");
      return rows.map(({ task }) => task);
    });
    child.kill("SIGTERM");
    return { answers: got, tasks, exitCode: (await closed)[0] };
  } finally {
    child.kill("SIGKILL");
    await closed;
    await pool.end();
    await postgres.stop();
  }
}
