import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { expect, it, onTestFinished } from "vitest";
import { openReceiver, openSandbox, SECRET } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const NEW = "payment.canceled";

it("[P-SUBSCRIBE-NEW-TYPES] a category and ALL get a type that the catalogue has later, names do not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "sandbox.db");
  const { standard } = profiles;
  const before = { ...standard, catalogue: standard.catalogue.filter(({ type }) => type !== NEW) };
  const receivers = {
    all: await openReceiver(),
    category: await openReceiver(),
    other: await openReceiver(),
    name: await openReceiver(),
  };
  const selections = {
    all: { type: "ALL" },
    category: { type: "CATEGORY", details: ["PAYMENT"] },
    other: { type: "CATEGORY", details: ["CUSTOMER"] },
    name: { type: "EVENT", details: ["payment.created"] },
  };
  const old = await openSandbox({ driver: sqliteDriver(file), profile: before });
  for (const name of ["all", "category", "other", "name"] as const) {
    const json = {
      url: receivers[name].url,
      secretKey: SECRET,
      subscriptionDetails: selections[name],
    };
    const { status } = await old.call("POST", "/v1/webhook/subscribe", { json });
    expect(status).toBe(200);
  }
  const unknown = await old.call("POST", "/sandbox/events", { json: { type: NEW } });
  expect(unknown.status).toBe(400);
  await old.sandbox.close();

  const now = await openSandbox({ driver: sqliteDriver(file), profile: standard });
  // Deliveries of one event are written together: who got the later ones has been passed over by this one.
  for (const type of [NEW, "payment.created", "customer.created"])
    expect((await now.call("POST", "/sandbox/events", { json: { type } })).status).toBe(201);
  const typesOf = (name: keyof typeof receivers): readonly string[] =>
    receivers[name].arrived.map(({ type }) => type).toSorted();
  await expect
    .poll(() => typesOf("all"), SOON)
    .toEqual(["customer.created", NEW, "payment.created"]);
  await expect.poll(() => typesOf("category"), SOON).toEqual([NEW, "payment.created"]);
  await expect.poll(() => typesOf("other"), SOON).toEqual(["customer.created"]);
  await expect.poll(() => typesOf("name"), SOON).toEqual(["payment.created"]);
});
