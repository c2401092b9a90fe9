import type { ReceiverCheck } from "../check.ts";
import { genuine } from "./checks/genuine.ts";
import { tampered } from "./checks/tampered.ts";
import { timestamps } from "./checks/timestamps.ts";
import { unsigned } from "./checks/unsigned.ts";
import { wrongKey } from "./checks/wrong-key.ts";

/** The checks of a merchant's receiver, in the order in which they run. */
export const receiverChecks: readonly ReceiverCheck[] = [
  genuine,
  unsigned,
  tampered,
  wrongKey,
  timestamps,
];
