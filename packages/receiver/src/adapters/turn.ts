/** Runs what it is given once the sockets of this turn of the event loop have been read, together with what else was given. */
export type Turn = (run: () => void) => void;

/**
 * Gathers the bodies that end in one turn, and lets them be judged one right after the other once all
 * sockets of the turn have been read. Judged each as it ends, with reading and parsing of the next request in
 * between, the code of either displaces the other's from the processor's caches, and an attempt takes twice
 * as long. One that ends alone waits for nothing but the other sockets of its turn.
 */
export function createTurn(): Turn {
  let waiting: (() => void)[] = [];
  const runAll = (): void => {
    const due = waiting;
    waiting = [];
    for (const run of due) run();
  };
  return (run) => {
    if (waiting.push(run) === 1) setImmediate(runAll);
  };
}
