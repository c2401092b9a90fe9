/** A bound on what runs at once. */
export interface Slots {
  /** Takes a slot and returns the function that gives it back; `undefined` where all are taken. */
  enter(): (() => void) | undefined;
}

export function createSlots(count: number): Slots {
  let free = count;
  const leave = (): void => {
    free += 1;
  };
  return {
    enter() {
      if (free === 0) return undefined;
      free -= 1;
      return leave;
    },
  };
}
