import type { Target } from "@countersign/contract-kit";
import type { TrueFinding } from "./good.ts";
import type { Row } from "./matrix.ts";

/** What `docs/matrix.json` holds of one role: what was measured, and nothing that differs in the next run. */
export interface MatrixOfRole {
  /** Requirements that a check tests, in the order of the requirements' document. */
  readonly requirements: readonly string[];
  readonly rows: readonly Omit<Row, "errors">[];
  readonly good: readonly GoodRow[];
}

export interface GoodRow {
  readonly name: string;
  readonly findings: readonly TrueFinding[];
}

export type MatrixDocument = Readonly<Partial<Record<Target["role"], MatrixOfRole>>>;

export const jsonOf = (document: MatrixDocument): string =>
  `${JSON.stringify(document, undefined, 2)}\n`;
