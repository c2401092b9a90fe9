import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signedAttempt } from "@countersign/receiver/testing";
import { request } from "undici";
import { describe, expect, it, vi } from "vitest";
import { refundAuthorized, secret } from "./fixtures.ts";
import { freePort } from "./free-port.ts";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";

describe("the code in the README", () => {
  it("is at most twelve lines of code", () => {
    expect(code.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(12);
  });

  it("mounts a receiver exactly as printed", async () => {
    const folder = fileURLToPath(new URL("output/", import.meta.url));
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}readme.ts`, code);
    const port = await freePort();
    const app = spawn(process.execPath, ["--conditions=@countersign/source", "readme.ts"], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    app.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    try {
      const post = async (event: object): Promise<number> => {
        const { headers, body } = signedAttempt({ secrets: [secret], event });
        const answer = await request(`http://127.0.0.1:${String(port)}/webhooks`, {
          method: "POST",
          headers,
          body,
        });
        await answer.body.dump();
        return answer.statusCode;
      };
      const refund = refundAuthorized();
      const pending = {
        ...refund,
        id: "evt_2",
        type: "refund.pending",
        data: { ...refund.data, paymentStatus: "PENDING" },
      };
      const unknown = { ...refund, id: "evt_3", type: "report.ready" };

      await vi.waitFor(async () => expect(await post(refund)).toBe(204), { timeout: 10_000 });
      expect(await post(pending)).toBe(204);
      expect(await post(unknown)).toBe(204);
      await vi.waitFor(() =>
        expect(printed).toBe(
          "on its way back: ref_1\nrefund.pending ref_1\nno handler for report.ready\n",
        ),
      );
    } finally {
      app.kill();
      await once(app, "exit");
    }
  });
});
