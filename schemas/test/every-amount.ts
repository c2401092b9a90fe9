import { validateAmount } from "@countersign/schemas/writers";

/** The amounts of so many cents, from 0.01 on, as the numbers that their texts are read as. */
export const amounts = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => Number(`${String(index + 1)}e-2`));

/** Those that the writer's validator refuses: must be none. */
export const refusedAmounts = (values: readonly number[]): readonly number[] =>
  values.filter((value) => !validateAmount({ currency: "USD", value }).ok);
