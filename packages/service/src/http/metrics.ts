import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Completion, DeliveryObserver } from "../delivery/types.ts";
import type { StoreFault } from "../store/fault.ts";

/** A call whose answer has been sent. */
export interface CallMetrics {
  readonly method: string;
  /** The route's pattern; `undefined` where no path matched. */
  readonly route: string | undefined;
  /** `undefined` where the caller had gone. */
  readonly status: number | undefined;
  readonly seconds: number;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The service's metrics for Prometheus. Labels have few values, none of them a caller's: a stranger
 * who invents paths or methods makes no series.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #readings: (() => Promise<void>)[] = [];
  readonly #calls = this.#counter("http_requests_total", "Calls.", "method", "route", "status");
  readonly #seconds = new Histogram({
    name: "countersign_http_request_duration_seconds",
    help: "Time from the head of a call to the end of its answer.",
    labelNames: ["route"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.#registry],
  });
  readonly #refunds = this.#counter(
    "refunds_total",
    "Refunds asked for, by first state.",
    "status",
  );
  readonly #moved = this.#counter("refunds_moved_total", "Refunds whose hold ended.");
  readonly #passedOver = this.#counter("refunds_passed_over_total", "Due refunds left unmoved.");
  readonly #attempts = this.#counter(
    "delivery_attempts_total",
    "Attempts, by their answer and by what became of the delivery.",
    "answer",
    "delivery",
  );
  readonly #paused = this.#counter("subscriptions_paused_total", "Subscriptions paused.");
  readonly #clockSteps = this.#counter("clock_steps_total", "Steps of wall time.");
  readonly #failures = this.#counter("delivery_failures_total", "Rounds that the store broke off.");
  readonly #storeFailures = this.#counter(
    "store_failures_total",
    "Calls that the database failed, by cause.",
    "cause",
  );
  readonly #defects = this.#counter("defective_answers_total", "Answers that fit no schema.");

  /** Memory, processor and event loop of the process; once is enough in each. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  called({ method, route = "none", status, seconds }: CallMetrics): void {
    this.#calls.inc({
      method: METHODS.includes(method) ? method : "other",
      route,
      status: status === undefined ? "none" : String(status),
    });
    this.#seconds.observe({ route }, seconds);
  }

  /** A call has made a refund. */
  refundMade(status: string): void {
    this.#refunds.inc({ status });
  }

  refundsMoved(count: number): void {
    this.#moved.inc(count);
  }

  storeFailed(cause: StoreFault): void {
    this.#storeFailures.inc({ cause });
  }

  answerWasDefective(): void {
    this.#defects.inc();
  }

  /** Counts what the delivery of events comes to. */
  readonly deliveries: Required<DeliveryObserver> = {
    attempted: (attempt) =>
      this.#attempts.inc({ answer: answerLabel(attempt), delivery: attempt.state }),
    paused: () => this.#paused.inc(),
    clockStepped: () => this.#clockSteps.inc(),
    failed: () => this.#failures.inc(),
  };

  /** Counts a due refund that cannot be moved. */
  refundPassedOver(): void {
    this.#passedOver.inc();
  }

  /**
   * Adds gauges that `read` finds out when they are asked for. One that is missing then has no value, and all of them
   * if `read` rejects.
   *
   * @param helps What each means, by its name.
   */
  addGauges<Name extends string>(
    helps: Readonly<Record<Name, string>>,
    read: () => Promise<Readonly<Partial<Record<Name, number>>>>,
  ): void {
    const gauges = Object.entries<string>(helps).map(([name, help]) => ({
      // The cast: `Object.entries` types names as strings.
      name: name as Name,
      gauge: new Gauge({ name: `countersign_${name}`, help, registers: [this.#registry] }),
    }));
    this.#readings.push(async () => {
      const values = await read().catch((): Partial<Record<Name, number>> => ({}));
      for (const { name, gauge } of gauges) {
        const value = values[name];
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      }
    });
  }

  /** In Prometheus's text form. */
  async text(): Promise<string> {
    await Promise.all(this.#readings.map((read) => read()));
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

/** `2xx` and the like, or the code of a missing answer. */
function answerLabel({ attempt: { answer } }: Completion): string {
  return answer.kind === "unanswered" ? answer.code : `${Math.floor(answer.status / 100)}xx`;
}
