import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WriterTurns } from "../../src/store/writer-turns.ts";

/** Turns that last until they are told to end, and what has begun so far. */
function openTurns() {
  const turns = new WriterTurns();
  const begun: string[] = [];
  const ask = (side: "own" | "aside", name: string): PromiseWithResolvers<void> => {
    const end = Promise.withResolvers<void>();
    const turn = turns[side](() => {
      begun.push(name);
      return end.promise;
    });
    turn.catch(() => {});
    return end;
  };
  return { begun, ask };
}

describe("the turns of two writers", () => {
  it("come in the order in which they are asked for, those of the other thread together", async () => {
    const { begun, ask } = openTurns();
    const first = ask("own", "own 1");
    const [second, third] = [ask("aside", "aside 2"), ask("aside", "aside 3")];
    const fourth = ask("own", "own 4");
    ask("aside", "aside 5");

    await setImmediate();
    expect(begun).toEqual(["own 1"]);
    first.resolve();
    await setImmediate();
    expect(begun).toEqual(["own 1", "aside 2", "aside 3"]);
    second.resolve();
    await setImmediate();
    expect(begun).toHaveLength(3);
    third.resolve();
    await setImmediate();
    expect(begun).toEqual(["own 1", "aside 2", "aside 3", "own 4"]);
    fourth.resolve();
    await setImmediate();
    expect(begun).toEqual(["own 1", "aside 2", "aside 3", "own 4", "aside 5"]);
  });

  it.each(["own", "aside"] as const)("go on after one of %s that fails", async (side) => {
    const { begun, ask } = openTurns();
    ask(side, "first").reject(new Error("failed"));
    ask("own", "second").reject(new Error("failed"));
    ask("aside", "third");

    await setImmediate();
    expect(begun).toEqual(["first", "second", "third"]);
  });
});
