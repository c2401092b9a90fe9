/**
 * Takes back what a transaction wrote and hands its caller a value all the same: thrown inside the
 * transaction, caught by `orUndone` around it.
 */
export class Undo<T> extends Error {
  readonly outcome: T;
  constructor(outcome: T) {
    super("the transaction is undone");
    this.name = new.target.name;
    this.outcome = outcome;
  }
}

/** A transaction's value, or the one that it was undone with. */
export async function orUndone<T>(transaction: Promise<T>): Promise<T> {
  try {
    return await transaction;
  } catch (error) {
    // A transaction throws the `Undo` of its own outcome type alone.
    if (error instanceof Undo) return (error as Undo<T>).outcome;
    throw error;
  }
}
