import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { onStores, postgres, sqlite } from "./store/stores.ts";
import { httpLoad, type Figures } from "./bench/http-load.ts";
import { refundDatabase, type RefundDatabase } from "./bench/refund-database.ts";

const CONNECTIONS = 64;
const REQUESTS = 1000;
const ROUNDS = 8;
// The first of them compile.
const WARM_UP = 2;
const STORED = Number(process.env["COUNTERSIGN_BENCH_STORED"] ?? 1_000_000);
/** What a machine that others use takes off a ratio. */
const NOISE = 0.75;

interface Sample extends Figures {
  /** Microseconds of the server's processor for a request: of PostgreSQL's own, none. */
  readonly cpu: number;
}

interface Server extends RefundDatabase {
  readonly name: "countersign" | "bare" | "million";
  readonly port: number;
  /** Microseconds of the processor that it has taken. */
  readonly taken: () => Promise<number>;
  readonly stop: () => void;
}

const script = fileURLToPath(new URL("bench/refund-server.ts", import.meta.url));
const execArgv = ["--conditions=@countersign/source", "--disable-warning=ExperimentalWarning"];

async function start(
  name: Server["name"],
  address: string,
  database: RefundDatabase,
): Promise<Server> {
  const kind = name === "bare" ? "bare" : "countersign";
  const child = fork(script, [kind, address, database.merchantId], { execArgv });
  const [port] = (await once(child, "message")) as [number];
  const taken = async (): Promise<number> => {
    const told = once(child, "message");
    child.send("cpu");
    const [{ user, system }] = (await told) as [NodeJS.CpuUsage];
    return user + system;
  };
  return { ...database, name, port, taken, stop: () => void child.kill("SIGKILL") };
}

/** Requests as they are sent, over the payments in turn. */
function wiresOf({ token, paymentIds }: Server, round: number): Buffer[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const body = JSON.stringify({
      paymentId: paymentIds[index % paymentIds.length],
      amount: { currency: "USD", value: 0.01 },
      requestKey: `bench-${round}-${index}`,
    });
    return Buffer.from(
      `POST /v1/refunds HTTP/1.1\r\nhost: bench\r\naccept: application/json\r\n` +
        `content-type: application/json\r\nauthorization: Bearer ${token}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

onStores([sqlite, postgres], ({ name, create, open }) => {
  test("P7: a refund against bare Express with the same transaction, and with a million payments stored", async () => {
    const servers: Server[] = [];
    try {
      for (const [kind, stored] of [
        ["countersign", 0],
        ["bare", 0],
        ["million", STORED],
      ] as const) {
        const address = await create();
        const database = await refundDatabase(await open(address), stored);
        servers.push(await start(kind, address, database));
      }
      const samples: Record<Server["name"], Sample[]> = { countersign: [], bare: [], million: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        // In turns, so that each meets the same machine.
        for (const server of servers) {
          const wires = wiresOf(server, round);
          const before = await server.taken();
          const figures = await httpLoad(server.port, { wires, connections: CONNECTIONS });
          const cpu = ((await server.taken()) - before) / REQUESTS;
          if (round >= WARM_UP) samples[server.name].push({ ...figures, cpu });
        }
      }
      const ratios = samples.countersign.map(
        ({ rate }, index) => rate / (samples.bare[index]?.rate ?? Number.NaN),
      );
      const growths = samples.countersign.map(
        ({ rate }, index) => rate / (samples.million[index]?.rate ?? Number.NaN),
      );
      const cpuOf = (kind: Server["name"]): number =>
        Math.min(...samples[kind].map(({ cpu }) => cpu));
      const of = (figures: readonly Sample[], key: keyof Sample): string =>
        median(figures.map((one) => one[key])).toFixed(key === "rate" ? 0 : 1);
      for (const [kind, figures] of Object.entries(samples)) {
        process.stdout.write(
          `${name} ${kind}: ${of(figures, "rate")}/s, p50 ${of(figures, "p50")} ms, ` +
            `p99 ${of(figures, "p99")} ms, ${of(figures, "cpu")} µs of the processor\n`,
        );
      }
      process.stdout.write(
        `${name}: ${median(ratios).toFixed(2)} of bare Express (goal 0.7), ` +
          `${(cpuOf("bare") / cpuOf("countersign")).toFixed(2)} by the processor's time; ` +
          `${median(growths).toFixed(2)} times the time with ${STORED} payments stored (goal 1.1)\n`,
      );
      expect(median(ratios)).toBeGreaterThanOrEqual(0.7 * NOISE);
      expect(median(growths)).toBeLessThanOrEqual(1.1 / NOISE);
    } finally {
      for (const server of servers) server.stop();
    }
  });
});
