/** Facts about an outcome: the second argument of `onOutcome`. */
export interface OutcomeFacts {
  /** From the attempt's arrival, or the worker's take, to the outcome, in milliseconds. */
  readonly durationMs: number;
  /** Index of the secret that signed the attempt. */
  readonly secretIndex?: number;
  /** Its label, if it has one. */
  readonly secretLabel?: string;
  /** Status of the answer; absent for `receiver.receive()` and workers. */
  readonly status?: number;
  /** True: the handler's own outcome, after its attempt had to be answered. */
  readonly late?: true;
  /** Present for a worker's run of a stored event. */
  readonly worker?: WorkerFacts;
}

/** A worker's run of a stored event. */
export interface WorkerFacts {
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True: the event is given up and listed by `receiver.dead()`. */
  readonly dead: boolean;
}
