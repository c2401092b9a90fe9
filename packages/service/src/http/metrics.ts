import { collectDefaultMetrics, Counter, Registry } from "prom-client";
import type { DecidedAttempt } from "../delivery/types.ts";

interface CalledLabels {
  readonly route: string | undefined;
  readonly status: number | undefined;
}

/** The service's metrics for Prometheus. Labels have few values: a stranger who invents paths makes no series. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #calls = this.#counter("http_requests_total", "Calls.", "route", "status");
  readonly #refunds = this.#counter("refunds_total", "Refunds, by first state.", "status");
  readonly #attempts = this.#counter(
    "delivery_attempts_total",
    "Attempts, by their answer and by what became of the delivery.",
    "answer",
    "delivery",
  );
  readonly #storeFailures = this.#counter(
    "store_failures_total",
    "Calls that the database failed.",
  );

  /** Memory, processor and event loop of the process; once is enough in each. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** A call has ended. Without a route no path matched; without a status the caller had gone. */
  called({ route = "none", status }: CalledLabels): void {
    this.#calls.inc({ route, status: String(status ?? "none") });
  }

  /** A call has made a refund. */
  refundMade(status: string): void {
    this.#refunds.inc({ status });
  }

  /** An attempt is recorded. */
  attempted({ attempt: { answer }, state }: DecidedAttempt): void {
    const kind =
      answer.kind === "unanswered" ? answer.code : `${Math.floor(answer.status / 100)}xx`;
    this.#attempts.inc({ answer: kind, delivery: state });
  }

  storeFailed(): void {
    this.#storeFailures.inc();
  }

  /** In Prometheus's text form. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Counter<Label> {
    const registers = [this.#registry];
    return new Counter({ name: `countersign_${name}`, help, labelNames, registers });
  }
}
