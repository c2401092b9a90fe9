/** One move of a state machine as data: what docs, pictures and properties are made from. */
export interface Transition<State extends string, Trigger extends string> {
  /** `undefined`: nothing exists yet. */
  readonly from: State | undefined;
  readonly trigger: Trigger;
  /** In words; `undefined`: always. */
  readonly condition: string | undefined;
  readonly to: State;
  /** In words; `undefined`: the state alone changes. */
  readonly effect: string | undefined;
}
