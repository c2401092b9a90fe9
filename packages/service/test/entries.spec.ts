import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as face from "../src/index.ts";

it("the package exports what runs a service, at most 40 names with types; adding one is a decision made here", () => {
  expect(Object.keys(face).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "createService",
    "createVault",
    "DeliveryEngine",
    "deliveryPolicyOf",
    "deliveryStore",
    "DueClock",
    "DueRefunds",
    "errorCodes",
    "jsonLogger",
    "migrate",
    "parseSecretKeys",
    "postgresDriver",
    "postgresHints",
    "replayDeliveries",
    "rotateSecrets",
    "SecretKeysError",
    "signerOf",
    "sqliteDriver",
    "startService",
    "StoreUnavailableError",
    "StoreVersionError",
    "systemClock",
    "systemRandom",
    "undiciTransport",
  ]);
  const source = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(names.length).toBeLessThanOrEqual(40);
});
