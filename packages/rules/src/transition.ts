/** One move of a state machine as data: what docs, pictures and properties are made from. */
export interface Transition<
  State extends string = string,
  Trigger extends string = string,
  Condition extends string = string,
> {
  /** `undefined`: nothing exists yet. */
  readonly from: State | undefined;
  readonly trigger: Trigger;
  /** In words; `undefined`: always. */
  readonly condition: Condition | undefined;
  readonly to: State;
  /** In words: what else changes, and the event of the state entered. `undefined`: nothing. */
  readonly effect: string | undefined;
}
