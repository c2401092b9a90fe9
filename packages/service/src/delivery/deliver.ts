import { waitAtMost } from "../clock.ts";
import { unitInterval } from "../random.ts";
import { decideNext } from "./decisions.ts";
import { endpointUrl } from "./egress/addresses.ts";
import type { AttemptErrorCode } from "./egress/attempt-error.ts";
import { ClaimCursors } from "./claim-cursors.ts";
import type {
  Answer,
  Attempt,
  ClaimedBatch,
  DecidedAttempt,
  ClaimedDelivery,
  Endpoint,
  EngineOptions,
  Work,
} from "./types.ts";

// The path of a delivery, from top to bottom: it is due, claimed, signed and posted, decided, recorded. Its state is its
// row; this process keeps only what it has in hand, and where in each queue to claim next.
// - No two processes attempt one at once: each claims its row, in `store/tables/delivery-queue.ts`. Each number of an attempt
//   is recorded once, in `store/tables/attempt-records.ts`.
// - No endpoint, host or merchant takes the places of others: `claim-cursors.ts`, with the pace of `decisions.ts`.
// - If and when the next attempt follows: `decideNext` of `decisions.ts`. What an attempt may reach: `egress/`.
// Clocks: due times follow the due clock or a namespace's, claims the database's, sleeps monotonic time, signatures wall time.

/** Milliseconds between two looks for what is due. They take at most a `part` of the time, but there is one in `longestMs`. */
const LOOK = { everyMs: 1000, part: 0.05, longestMs: 5000 } as const;
/** Deliveries of one claim, so that others are in flight meanwhile, and the pause after it, which makes room for a larger one. */
const CLAIM = { most: 128, gapMs: 1 } as const;
/** Attempts of one transaction; milliseconds for which one that is not full waits; attempts to be recorded that stop claims. */
const GROUP = { size: 256, waitMs: 5, backlog: 512 } as const;
/** Milliseconds until a failed call of the store is repeated. */
const STORE_RETRY_MS = 250;

/** An endpoint that can be posted to. */
type Target = { readonly url: URL; readonly secret: string } & Pick<Endpoint, "merchantId">;

/**
 * Delivers events, at least once: an attempt is recorded after it is made, so a crash in between repeats it when the claim
 * ends. Two processes attempt a delivery at once only if one of them stood still for longer than its claim, and only one
 * of the two attempts is recorded.
 */
export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #cursors: ClaimCursors;
  /** Deliveries in hand: claimed, and not recorded. By id. */
  readonly #inHand = new Map<string, ClaimedDelivery>();
  /** Numbers of the attempts that were recorded since the last claim began, by delivery. */
  readonly #recorded = new Map<string, number>();
  /** Attempts to be recorded. */
  readonly #toRecord: DecidedAttempt[] = [];
  #nextLookAt = 0;
  #loop: Promise<void> | undefined;
  #isRecording = false;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;
  #isAbandoned = false;
  /** Resolves when something may have become due, or a place free. */
  #wake = Promise.withResolvers<void>();
  /** Resolves when a delivery leaves this process's hand, the store fails, or the engine stops. */
  #progress = Promise.withResolvers<void>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#cursors = new ClaimCursors(options.policy);
  }

  get #inFlight(): number {
    return this.#inHand.size - this.#toRecord.length;
  }

  /** Begins to deliver: what waited while no process ran, and what becomes due. Idempotent. */
  start(): void {
    this.#loop ??= this.#run();
  }

  // Due.

  /** Reports that something may be due. Returns at once. What is not reported is found by a look. */
  onWork(work: Work): void {
    if (work === "anything") this.#nextLookAt = 0;
    else for (const one of work) this.#cursors.wrote(one);
    this.#wake.resolve();
  }

  async #run(): Promise<void> {
    const { clock, dueClock, store, observer } = this.#options;
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers();
      try {
        const stepMs = await dueClock.keep(store);
        if (stepMs !== 0) observer?.clockStepped?.(stepMs);
        await this.#look();
        if (await this.#claim()) await clock.sleep(CLAIM.gapMs);
        else {
          const ms = Math.max(0, this.#nextLookAt - clock.elapsed());
          await waitAtMost(clock, Math.min(LOOK.everyMs, ms), this.#wake.promise);
        }
      } catch (error) {
        this.#options.observer?.storeFailed?.(error);
        this.#madeProgress();
        await clock.sleep(STORE_RETRY_MS, this.#stopping.signal);
      }
    }
  }

  async #look(): Promise<void> {
    const { clock, dueClock, policy, store } = this.#options;
    const begun = clock.elapsed();
    if (begun < this.#nextLookAt) return;
    this.#cursors.found(await store.findDue({ now: dueClock.now(), leaseMs: policy.leaseMs }));
    const took = clock.elapsed() - begun;
    this.#nextLookAt = begun + Math.min(Math.max(LOOK.everyMs, took / LOOK.part), LOOK.longestMs);
  }

  // Claimed.

  /** Claims as many due deliveries as may start now, and starts them. @returns False if it claimed nothing, or too late. */
  async #claim(): Promise<boolean> {
    const { clock, dueClock, store } = this.#options;
    const { concurrency, deadlineMs, leaseMs } = this.#options.policy;
    const room = this.#toRecord.length < GROUP.backlog ? concurrency - this.#inFlight : 0;
    const begun = clock.elapsed();
    const requests = this.#cursors.choose(Math.min(room, CLAIM.most), begun);
    if (requests.length === 0) return false;
    const times = { now: dueClock.now(), leaseMs };
    this.#recorded.clear();
    const claims = await store.claim(requests, times).catch((error: unknown) => {
      this.#cursors.unclaimed(requests);
      throw error;
    });
    // A process that stood still meanwhile may be too late: its attempts could outlast their claims.
    if (this.#stopping.signal.aborted || clock.elapsed() - begun > leaseMs - deadlineMs) {
      this.#cursors.unclaimed(requests);
      await store.release(claims.flatMap((claimed) => claimed?.deliveries ?? []));
      return false;
    }
    // The claim came before the record, but its answer after it: the attempt would be made twice.
    const isStale = ({ id, attempts }: ClaimedDelivery): boolean =>
      attempts < (this.#recorded.get(id) ?? 0);
    const stale: ClaimedDelivery[] = [];
    for (const [index, request] of requests.entries()) {
      const claimed = claims[index];
      const deliveries = claimed?.deliveries ?? [];
      stale.push(...deliveries.filter(isStale));
      const fresh = deliveries.filter((one) => !isStale(one) && this.#takeInHand(one));
      this.#cursors.claimed(request, { deliveries, starts: fresh.length });
      if (claimed === undefined || fresh.length === 0) continue;
      const target = this.#open(claimed.endpoint);
      for (const delivery of fresh) void this.#attempt(claimed, target, delivery);
    }
    if (stale.length > 0) await store.release(stale);
    return true;
  }

  /** Returns false if it is in hand already: it could not be recorded in time. The record then ends the later claim. */
  #takeInHand(delivery: ClaimedDelivery): boolean {
    const known = this.#inHand.get(delivery.id);
    if (known === undefined) this.#inHand.set(delivery.id, delivery);
    else known.claimedUntil = delivery.claimedUntil;
    return known === undefined;
  }

  /** Parses an endpoint's URL and opens its secret, once for all deliveries of a claim. */
  #open({ key, url: text, secret, merchantId }: Endpoint): Target | AttemptErrorCode {
    const { endpoints, vault } = this.#options;
    const url = endpointUrl(text, endpoints);
    if (url === undefined) return "CS_ATTEMPT_URL_REFUSED";
    try {
      return { url, secret: vault.open(secret, key), merchantId };
    } catch {
      return "CS_ATTEMPT_SECRET_SEALED";
    }
  }

  /** Makes one attempt. Never rejects. */
  async #attempt(
    { endpoint, instant }: ClaimedBatch,
    target: Target | AttemptErrorCode,
    delivery: ClaimedDelivery,
  ): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.now();
    const begun = clock.elapsed();
    let answer: Answer | undefined;
    try {
      answer = await this.#signAndPost(target, delivery, startedAt);
      const number = delivery.attempts + 1;
      const durationMs = Math.round(clock.elapsed() - begun);
      this.#decide({ endpoint, delivery, number, startedAt, durationMs, answer }, instant);
    } catch (error) {
      // A fault of this program: the delivery is attempted again when its claim ends.
      this.#inHand.delete(delivery.id);
      this.#options.observer?.attemptBroke?.(error);
      this.#madeProgress();
    }
    // A namespace's clock stands still while its deliveries are made: they are not paced.
    const paced = endpoint.clockId === "live" ? answer : undefined;
    this.#cursors.ended(endpoint.key, paced, clock.elapsed());
    this.#wake.resolve();
  }

  // Signed, posted, decided.

  /**
   * Signs the stored payload's bytes and posts those very bytes. The id is the event's in every attempt; the timestamp is
   * this attempt's wall time, which receivers compare with their own clock.
   *
   * @see Standard Webhooks, "Webhook metadata" and "Verifying signatures"
   */
  async #signAndPost(
    target: Target | AttemptErrorCode,
    { eventId, payload }: ClaimedDelivery,
    startedAt: number,
  ): Promise<Answer> {
    if (typeof target === "string") return { kind: "unanswered", code: target };
    const { sign, transport, userAgent } = this.#options;
    const { url, secret, merchantId } = target;
    const body = Buffer.from(payload, "utf8");
    const message = { id: eventId, timestamp: Math.floor(startedAt / 1000), body };
    const signature = sign(message, secret);
    if (signature === undefined) return { kind: "unanswered", code: "CS_ATTEMPT_SECRET_UNUSABLE" };
    const headers = { ...signature, "content-type": "application/json", "user-agent": userAgent };
    return transport.post({ url, headers, body, merchantId, eventId });
  }

  /** @param instant What a namespace's clock showed when the delivery was claimed. */
  #decide(attempt: Attempt, instant: number): void {
    // An attempt that was cut short may have arrived, and is made again.
    if (this.#isAbandoned) return;
    const { dueClock, policy, random } = this.#options;
    const at = attempt.endpoint.clockId === "live" ? dueClock.now() : instant;
    const next = decideNext(attempt, { now: at, random: () => unitInterval(random) }, policy);
    this.#toRecord.push({ attempt, ...next, at });
    if (!this.#isRecording) void this.#record();
  }

  // Recorded.

  /** Records attempts in groups until none is left. What the store does not take is written again. */
  async #record(): Promise<void> {
    const { clock, policy, store } = this.#options;
    this.#isRecording = true;
    while (this.#toRecord.length > 0 && !this.#isAbandoned) {
      if (this.#toRecord.length < GROUP.size && this.#inFlight > 0) await clock.sleep(GROUP.waitMs);
      const group = this.#toRecord.slice(0, GROUP.size);
      try {
        const { recorded, paused } = await store.record(group, policy);
        this.#toRecord.splice(0, group.length);
        for (const { attempt } of group) {
          this.#inHand.delete(attempt.delivery.id);
          this.#recorded.set(attempt.delivery.id, attempt.number);
        }
        for (const one of recorded) this.#options.observer?.attempted?.(one);
        for (const key of paused) this.#options.observer?.paused?.(key);
        // A full backlog stops claims.
        this.#wake.resolve();
      } catch (error) {
        this.#options.observer?.storeFailed?.(error);
        await clock.sleep(STORE_RETRY_MS);
      }
      this.#madeProgress();
    }
    this.#isRecording = false;
  }

  /** Delivers until nothing of a namespace's clock is due. @returns `false` if the engine was stopped before. */
  async drain(clockId: string): Promise<boolean> {
    while (!this.#stopping.signal.aborted) {
      const change = this.#progress.promise;
      // Also what is claimed: it is due until it is recorded.
      const due = await this.#options.store.findDueOf(clockId);
      if (due.length === 0) return !this.#stopping.signal.aborted;
      this.#cursors.found(due);
      this.#wake.resolve();
      await change;
    }
    return false;
  }

  /**
   * Starts no more attempts, waits for those in flight, `graceMs` at most, and ends the claims that are left. An attempt
   * that is cut short may have arrived; it is not recorded and is made again. Idempotent.
   */
  stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#stopped ??= this.#end(graceMs));
  }

  async #end(graceMs: number): Promise<void> {
    const { clock, store, transport } = this.#options;
    this.#stopping.abort();
    this.#wake.resolve();
    this.#madeProgress();
    const finished = async (): Promise<void> => {
      await this.#loop;
      while (this.#inHand.size > 0) await this.#progress.promise;
    };
    await waitAtMost(clock, graceMs, finished());
    this.#isAbandoned = true;
    await transport.close();
    if (this.#inHand.size === 0) return;
    // If this fails, the claims end by themselves.
    await store
      .release([...this.#inHand.values()])
      .catch((error: unknown) => this.#options.observer?.storeFailed?.(error));
  }

  #madeProgress(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }
}
