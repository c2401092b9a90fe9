import type { BenchFigures, BenchJob } from "./job.ts";

// One kind in a process of its own: none inherits another one's heap or compiled code.

const job = JSON.parse(process.argv[2] ?? "") as BenchJob;

async function figuresOf(): Promise<BenchFigures> {
  switch (job.kind) {
    case "sqlite":
    case "postgres":
      return (await import("./engine.ts")).engineRate(job);
    case "processes":
      return (await import("./engine.ts")).processesRate(job);
    case "one-of-many":
      return (await import("./engine.ts")).oneOfMany(job);
    case "latency-sqlite":
    case "latency-postgres":
      return (await import("./engine.ts")).engineLatency(job);
    case "memory":
      return (await import("./peers.ts")).memory(job);
    case "pg-boss":
      return (await import("./peers.ts")).pgBoss(job);
    case "graphile-worker":
      return (await import("./peers.ts")).graphileWorker(job);
    case "bullmq":
      return (await import("./peers.ts")).bullMq(job);
    default:
      return job.kind satisfies never;
  }
}

process.stdout.write(`${JSON.stringify(await figuresOf())}\n`, () => process.exit());
