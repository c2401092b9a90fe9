/**
 * The engine's numbers. Times are milliseconds of monotonic time. The policy holds what a deployment may change
 * (`policy.ts`); the transport has its own limits (`egress/`).
 */
export const ENGINE = {
  /** Times that a process beats within a lease: one beat may fail before an attempt is put off. */
  beatsPerLease: 6,
  /** Longest time between two beats, and so the greatest age of the stored due clock, which replays use. */
  longestBeatMs: 5000,
  /** From an attempt's deadline to the end of the lease: covers the completion's transaction. */
  leaseMargin: 1000,

  /** Shortest time between two looks for endpoints that nobody leases. Hints find most of them sooner. */
  lookMs: 5000,
  /** A look takes at most this part of the time, however slow the database is, but there is one in `longestLookMs`. */
  lookPart: 0.02,
  longestLookMs: 30_000,
  /** A look also takes endpoints with deliveries due within this time, so that their deliveries start on time. Above the time between looks. */
  lookAheadMs: 60_000,
  /** Endpoints that one look takes. */
  looked: 1000,
  /** Time between two reads of an endpoint without a hint: bounds what a lost hint costs. */
  rereadMs: 5000,
  /** Time between two reads of an endpoint from the beginning of its queue: finds rows committed behind the cursor. */
  fullReadMs: 120_000,
  /** An endpoint without deliveries for this long is given back. */
  idleMs: 60_000,

  /** Endpoints in memory that are looked at for what has become due, for each millisecond since the last such sweep. */
  sweptPerMs: 100,
  /** A sweep waits no longer than this for the one before, however many endpoints there are. */
  longestSweepGapMs: 20,
  /** An endpoint whose last attempt took less is read far ahead. */
  fastMs: 100,
  /** Endpoints of one read, which is one statement. */
  readEndpoints: 128,
  /** Deliveries of one endpoint and read. More read fewer times, and wait longer in memory. */
  readDeliveries: 64,
  /** Deliveries in memory that have not started; beyond it an endpoint is read only when it has none. */
  ready: 2048,
  /** Longest wait of a delivery in memory before it is read again: its subscription may have been closed. */
  freshMs: 1000,

  /** Attempts of one transaction. */
  group: 256,
  /** A group of this size is written at once; a smaller one waits `groupWaitMs` for attempts in flight. */
  enough: 192,
  groupWaitMs: 10,
  /** Attempts that may wait to be recorded before fewer are started: receivers may be faster than the store. */
  unrecorded: 512,
  /** Time between two tries of whatever the store did not take. */
  storeRetryMs: 250,

  /** Attempts in a row that fail until an endpoint counts as failing. */
  failing: 5,
  /** Time between two attempts at failing endpoints, all together: a TLS handshake costs as much as 20 deliveries. */
  failingGapMs: 25,
  /** Rest after one overload; each further one in a row doubles it. */
  firstRestMs: 500,
  longestRestMs: 60_000,
  /** Endpoints that one search for the next attempt looks at: bounds its cost while most are at their limits. */
  looksPerStart: 64,
} as const;
