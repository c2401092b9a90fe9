import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { clientErrorCodes, createClient } from "@countersign/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox, TOKEN, type TestSandbox } from "./open-sandbox.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];

let one: TestSandbox;
beforeAll(async () => {
  one = await openSandbox();
});
afterAll(() => one.close());

describe("the README's code", () => {
  it("is one block of TypeScript", () => {
    expect(blocks.map(([, language]) => language)).toEqual(["ts"]);
  });

  it("asks the sandbox for a refund exactly as printed", async () => {
    const folder = fileURLToPath(new URL("output/", import.meta.url));
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}readme.ts`, blocks[0]?.[2] ?? "");
    const { merchant, payment } = await otherMerchant();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@countersign/source", "readme.ts"],
      {
        cwd: folder,
        env: {
          ...process.env,
          PROVIDER_URL: one.url,
          CLIENT_ID: String(merchant["clientId"]),
          CLIENT_SECRET: String(merchant["clientSecret"]),
          PAYMENT_ID: payment,
        },
      },
    );
    expect(stdout).toMatch(/^PENDING ref_\S+\n$/);
  });
});

describe("the README's tables", () => {
  const columnOf = (heading: string): string[] => {
    const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    return [...section.matchAll(/^\| ([^|]+?) +\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([\w.]+)/g)].map(([, name = ""]) => name),
    );
  };

  it("have each code of an error, and no other", () => {
    expect(columnOf("Errors")).toEqual([...clientErrorCodes]);
  });

  it("have each member of a refund's answer but one that is absent here", async () => {
    const client = createClient({ baseUrl: one.url, token: TOKEN });
    const answer = await client.refund({
      paymentId: one.payment,
      amount: "1.00",
      requestKey: "readme",
    });
    await client.close();
    expect(columnOf("Refunds").toSorted()).toEqual(
      [...Object.keys(answer), "errorDetails"].toSorted(),
    );
  });

  it("have each call", async () => {
    const client = createClient({ baseUrl: one.url, token: TOKEN });
    await client.close();
    expect(columnOf("Calls")).toEqual(Object.keys(client));
  });
});

/** A namespace whose clock stands at the settlement of its one payment. */
async function otherMerchant(): Promise<{ merchant: Record<string, unknown>; payment: string }> {
  const merchant = await one.control("POST", "/sandbox/merchants", {});
  const as = { token: String(merchant["accessToken"]) };
  const customer = await one.control("POST", "/sandbox/customers", {}, as);
  await one.control("POST", `/sandbox/customers/${String(customer["id"])}/link`, {}, as);
  const payment = await one.control(
    "POST",
    "/sandbox/payments",
    { customerId: customer["id"], amount: { currency: "USD", value: 80 } },
    as,
  );
  const paymentId = String(payment["paymentId"]);
  await one.control("POST", `/sandbox/payments/${paymentId}/settle`, {}, as);
  return { merchant, payment: paymentId };
}
