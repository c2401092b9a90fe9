import type { Broken } from "./fault-kinds.ts";
import { otherFaults } from "./other-faults.ts";
import { refundFaults } from "./refund-faults.ts";

export const broken: readonly Broken[] = [...refundFaults, ...otherFaults];
