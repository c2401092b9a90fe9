import { type Conduct, secrets } from "./conduct.ts";
import { type Arrived, valuesOf } from "./http.ts";
import { honestReading, type Reading } from "./read-event.ts";
import { honestVerifying, type Reason, verify, type Verifying } from "./verify.ts";

/** Another conduct than the honest one. Made anew for each receiver: some remember attempts. */
export type Change = () => Partial<Conduct>;

/** Replaces steps of verifying. */
export const verifying = (change: Partial<Verifying>): Change => {
  return () => ({ verifying: { ...honestVerifying, ...change } });
};

/** Replaces steps of reading. */
export const reading = (change: Partial<Reading>): Change => {
  return () => ({ reading: { ...honestReading, ...change } });
};

/** Replaces the verdict on a signature. */
export const judging = (
  judge: (arrived: Arrived, steps: Verifying) => Reason | undefined,
): Change => {
  return () => ({ judgeSignature: (arrived, { verifying: steps }) => judge(arrived, steps) });
};

/** Takes the text of a header as one more key. */
export const believing = (name: string): Change =>
  judging((arrived, steps) => {
    const brought = valuesOf(arrived, name).map((text) => Buffer.from(text));
    const more = {
      ...steps,
      keys: (known: readonly string[]) => [...steps.keys(known), ...brought],
    };
    return verify(arrived, { secrets, steps: more });
  });

/** Another conduct that remembers nothing. */
export const always = (change: Partial<Conduct>): Change => {
  return () => change;
};
