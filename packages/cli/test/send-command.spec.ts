import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";
import { afterEach, describe, expect, it } from "vitest";
import { brokenKinds } from "../src/send/broken.ts";
import { ran } from "./ran.ts";

const secret = "whsec_Y291bnRlcnNpZ24gaXMgYSByZWNlaXZlciBhbmQga2l0";
const textSecret = "a-text-that-is-long-enough-to-be-a-key";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A receiver on this machine, and the types that its handlers saw. */
async function receiving(
  profile: "standard" | "x-signature" = "standard",
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const fallback = (event: { readonly type: string }): void => void seen.push(event.type);
  const receiver =
    profile === "standard"
      ? createReceiver({ secrets: [secret], fallback })
      : createReceiver({ secrets: [textSecret], profile: profiles[profile], fallback });
  const listener = toNode(receiver);
  const url = await serving((request, response) => void listener(request, response));
  return { url, seen };
}

async function serving(listener: Parameters<typeof createServer>[1] & object): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}

describe("countersign send", () => {
  it.each(profiles.standard.catalogue.map(({ type }) => type))(
    "sends %s as a receiver takes it",
    async (type) => {
      const { url, seen } = await receiving();
      const { status, out } = await ran(["send", type, "--url", url], {
        COUNTERSIGN_SECRET: secret,
      });
      expect(out).toMatch(/^evt_[\w-]{22} {2}attempt 1 {2}204 {2}\d+ ms\n$/);
      expect({ status, seen }).toEqual({ status: 0, seen: [type] });
    },
  );

  it("signs as the profile says", async () => {
    const { url, seen } = await receiving("x-signature");
    const args = ["send", "refund.pending", "--url", url, "--profile", "x-signature"];
    // Its names are another catalogue's.
    const [row] = profiles["x-signature"].catalogue;
    args[1] = row?.type ?? "";
    const { status } = await ran(args, { COUNTERSIGN_SECRET: textSecret });
    expect({ status, seen }).toEqual({ status: 0, seen: [args[1]] });
  });

  it("sends one delivery several times under one id, and the handler runs once", async () => {
    const { url, seen } = await receiving();
    const args = [
      "send",
      "payment.created",
      "--url",
      url,
      "--id",
      "evt_7",
      "--times",
      "3",
      "--json",
    ];
    const { status, out } = await ran(args, { COUNTERSIGN_SECRET: secret });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      id: "evt_7",
      attempts: [{ status: 204 }, { status: 204 }, { status: 204 }],
    });
    expect(seen).toEqual(["payment.created"]);
  });

  it.each(Object.keys(brokenKinds))("--broken %s is refused by a receiver", async (kind) => {
    const { url, seen } = await receiving();
    const args = ["send", "refund.failed", "--url", url, "--broken", kind];
    const { status, out } = await ran(args, { COUNTERSIGN_SECRET: secret });
    expect(out).toMatch(kind === "not-json" ? / 400 / : / 401 /);
    expect({ status, seen }).toEqual({ status: 0, seen: [] });
  });

  it.each(Object.keys(brokenKinds))(
    "ends with 1 where a receiver takes --broken %s",
    async (kind) => {
      const url = await serving((request, response) => {
        request.resume().on("end", () => response.writeHead(200).end());
      });
      const args = ["send", "refund.failed", "--url", url, "--broken", kind];
      expect(await ran(args, { COUNTERSIGN_SECRET: secret })).toMatchObject({ status: 1 });
    },
  );

  it("ends with 1 where nobody listens, and where a genuine attempt is refused", async () => {
    const closed = await ran(["send", "refund.failed", "--url", "http://127.0.0.1:9/"], {
      COUNTERSIGN_SECRET: secret,
    });
    expect(closed).toMatchObject({ status: 1 });
    expect(closed.out).toContain("ECONNREFUSED");
    const { url } = await receiving();
    const another = {
      COUNTERSIGN_SECRET: "whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcw==",
    };
    expect(await ran(["send", "refund.failed", "--url", url], another)).toMatchObject({
      status: 1,
    });
  });

  it("prints what a hostile receiver answers without its control characters", async () => {
    const url = await serving((request, response) => {
      request
        .resume()
        .on("end", () => response.writeHead(500).end("\u001b[2J\u0007\u202eok\r\nready"));
    });
    const { out } = await ran(["send", "refund.failed", "--url", url], {
      COUNTERSIGN_SECRET: secret,
    });
    expect(out.trimEnd()).toMatch(/\\u\{1b\}\[2J\\u\{7\}\\u\{202e\}ok\\u\{d\}\\u\{a\}ready$/);
  });

  it.each([
    [["send", "refund.gone", "--url", "http://127.0.0.1:9/"], "CS_CLI_ARGUMENT_UNUSABLE"],
    [["send", "refund.failed", "--url", "ftp://127.0.0.1/"], "CS_CLI_ARGUMENT_UNUSABLE"],
    [["send", "refund.failed", "--url", "http://a:b@127.0.0.1/"], "CS_CLI_ARGUMENT_UNUSABLE"],
    [
      ["send", "refund.failed", "--url", "http://x/", "--broken", "all"],
      "CS_CLI_ARGUMENT_UNUSABLE",
    ],
    [["send", "refund.failed", "--url", "http://x/", "--id", "a.b"], "CS_CLI_ARGUMENT_UNUSABLE"],
    [
      ["send", "refund.failed", "--url", "http://x/", "--data", "/gone"],
      "CS_CLI_ARGUMENT_UNUSABLE",
    ],
    [
      ["send", "refund.failed", "--url", "http://x/", "--profile", "gone"],
      "CS_CLI_PROFILE_UNUSABLE",
    ],
  ])("ends with 2 for %j", async (args, code) => {
    const { status, out, err } = await ran(args, { COUNTERSIGN_SECRET: secret });
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`countersign: ${code}: `);
  });

  it.each([[{}], [{ COUNTERSIGN_SECRET: "whsec_aHVzaA==" }], [{ COUNTERSIGN_SECRET: "whpk_x" }]])(
    "ends with 2 without a secret that can sign, and shows none: %j",
    async (env: Record<string, string>) => {
      const args = ["send", "refund.failed", "--url", "http://127.0.0.1:9/"];
      const { status, err } = await ran(args, env);
      expect(status).toBe(2);
      expect(err).toContain("CS_CLI_SECRET_UNUSABLE");
      expect(err).not.toContain("aHVzaA");
    },
  );
});
