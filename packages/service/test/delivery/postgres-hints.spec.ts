import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestPostgres,
} from "../../../receiver/test/inboxes/postgres-server.ts";
import { postgresHints, type Hints } from "../../src/delivery/postgres-hints.ts";
import { systemRandom } from "../../src/random.ts";
import { SOON } from "./soon.ts";

describe.skipIf(postgresBinaries === undefined)("hints between processes", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  function hints(): { readonly hints: Hints; readonly heard: () => number } {
    let heard = 0;
    const one = postgresHints({
      url: `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`,
      random: systemRandom,
      onHint: () => (heard += 1),
    });
    onTestFinished(() => one.stop());
    one.start();
    return { hints: one, heard: () => heard };
  }

  it("come to the others, and not to who told them", async () => {
    const [a, b] = [hints(), hints()];
    await expect
      .poll(() => {
        a.hints.tell();
        return b.heard();
      }, SOON)
      .toBeGreaterThan(0);
    expect(a.heard()).toBe(0);
  });

  it("go on after the server has come back", async () => {
    const [a, b] = [hints(), hints()];
    const toldToB = (): number => {
      a.hints.tell();
      return b.heard();
    };
    await expect.poll(toldToB, SOON).toBeGreaterThan(0);
    server.restart();
    const before = b.heard();
    await expect.poll(toldToB, SOON).toBeGreaterThan(before);
  });

  it("are nobody's trouble where the server is not there", async () => {
    const one = postgresHints({
      url: "postgres://postgres@127.0.0.1:1/postgres",
      random: systemRandom,
      onHint: () => {},
    });
    one.start();
    one.tell();
    await expect(one.stop()).resolves.toBeUndefined();
  });
});
