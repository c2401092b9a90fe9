/** How many attempts a sender has open at once. */
const IN_FLIGHT = 64;

/** Runs `count` calls, 64 at once, and returns how many were done in a second. */
export async function rateOf(count: number, call: (index: number) => unknown): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what a lane is
      await call(next - 1);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return (count * 1000) / (performance.now() - begun);
}
