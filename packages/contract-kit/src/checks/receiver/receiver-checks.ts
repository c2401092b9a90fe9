import type { ReceiverCheck } from "../../check.ts";
import { forms, signatureLists } from "./accepted.ts";
import { alike } from "./alike.ts";
import { bodies } from "./bodies.ts";
import { failing, hanging } from "./failing.ts";
import { bypass, forged, refusals } from "./forged.ts";
import { genuine, money, shapes } from "./genuine.ts";
import { connections, encodings, methods } from "./http.ts";
import { leaks } from "./leaks.ts";
import { load } from "./load.ts";
import { concurrent, duplicates, memory } from "./once.ts";
import { order } from "./order.ts";
import { schemas } from "./schemas.ts";
import { sizes, slowBodies } from "./sizes.ts";
import { timestamps } from "./timestamps.ts";

/** The checks of a merchant's receiver, in the order in which they run. */
export const receiverChecks: readonly ReceiverCheck[] = [
  genuine,
  shapes,
  money,
  forms,
  signatureLists,
  forged,
  bypass,
  timestamps,
  refusals,
  alike,
  duplicates,
  concurrent,
  failing,
  order,
  schemas,
  bodies,
  sizes,
  encodings,
  methods,
  connections,
  load,
  leaks,
  slowBodies,
  hanging,
  memory,
];
