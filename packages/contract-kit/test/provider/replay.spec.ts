import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpSend } from "../../src/http-send.ts";
import { amounts } from "../../src/provider/amounts.ts";
import type { ProviderTarget } from "../../src/target.ts";
import type { Verdict } from "../../src/finding.ts";
import { openTarget, TOKEN } from "./open-target.ts";

/** A service on a socket of its own that cuts what is beyond the second digit. */
async function openCutting(): Promise<ProviderTarget> {
  const { target, url } = await openTarget();
  const { send: pass, close } = httpSend(url);
  onTestFinished(close);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { authorization = "", accept = "*/*" } = request.headers;
      const type = request.headers["content-type"] ?? "application/json";
      const body = Buffer.concat(chunks)
        .toString()
        .replace(/("value":\d+\.\d\d)\d+/, "$1");
      const headers = { authorization, accept, "content-type": type };
      void pass({ method: request.method ?? "", path: request.url ?? "", headers, body }).then(
        (answer) => {
          response.writeHead(answer.status, { "content-type": answer.headers["content-type"] });
          response.end(answer.body);
        },
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const own = httpSend(`http://127.0.0.1:${port}`);
  onTestFinished(own.close);
  return {
    ...target,
    url: `http://127.0.0.1:${port}`,
    send: own.send,
    controls: (watch) => {
      const controls = target.controls?.(watch) ?? {};
      // Merchants of its own would be reached past this socket.
      const { merchant: _, ...others } = controls;
      return others;
    },
  };
}

const failureOf = (verdicts: readonly Verdict[]): Extract<Verdict, { status: "fail" }> => {
  const found = verdicts.find((one) => one.status === "fail");
  if (found === undefined) throw new Error("nothing failed");
  return found;
};

describe("a failure", () => {
  it("is shown by its lines in a shell, again and again, and met at once by its seed and path", async () => {
    const target = await openCutting();
    const { evidence, message } = failureOf(await amounts.run(target, { seed: 1, runs: 50 }));
    expect(message).toMatch(/is no amount: 400 expected, 201/);
    const script = evidence?.curl.join("\n") ?? "";
    expect(script).not.toContain(TOKEN);
    // Twice: ids and keys are made anew.
    for (const _ of [1, 2]) {
      const { stdout } = await promisify(execFile)("bash", ["-c", script], {
        env: { PATH: process.env["PATH"], TOKEN },
      });
      const last = stdout.trim().split("\n").at(-1);
      expect(last).toMatch(/^\{"paymentId":.*"paymentStatus":"PENDING"/);
    }

    const { seed = 0, path = "" } = evidence?.replay ?? {};
    let calls = 0;
    const counting: ProviderTarget = {
      ...target,
      send: (call) => {
        calls += 1;
        return target.send(call);
      },
    };
    const again = failureOf(await amounts.run(counting, { seed, path, runs: 50 }));
    expect(again).toMatchObject({ message, evidence: { replay: { seed, path } } });
    expect(calls).toBe(1);
  });
});
