import type { ReceiverCheck } from "../../check.ts";
import { alike } from "./alike.ts";
import { bodies } from "./bodies.ts";
import { concurrent } from "./concurrent.ts";
import { connections } from "./connections.ts";
import { duplicates } from "./duplicates.ts";
import { encodings } from "./encodings.ts";
import { failing } from "./failing.ts";
import { genuine } from "./genuine.ts";
import { hanging } from "./hanging.ts";
import { leaks } from "./leaks.ts";
import { load } from "./load.ts";
import { methods } from "./methods.ts";
import { money } from "./money.ts";
import { order } from "./order.ts";
import { rawBytes } from "./raw-bytes.ts";
import { reused } from "./reused.ts";
import { rotation } from "./rotation.ts";
import { schemas } from "./schemas.ts";
import { signatureLists } from "./signature-lists.ts";
import { signatures } from "./signatures.ts";
import { sizes } from "./sizes.ts";
import { slowBodies } from "./slow-bodies.ts";
import { tampered } from "./tampered.ts";
import { timestamps } from "./timestamps.ts";
import { unknown } from "./unknown.ts";
import { unsigned } from "./unsigned.ts";
import { wrongKey } from "./wrong-key.ts";

/** The checks of a merchant's receiver, in the order in which they run. */
export const receiverChecks: readonly ReceiverCheck[] = [
  genuine,
  rawBytes,
  unsigned,
  tampered,
  signatures,
  signatureLists,
  wrongKey,
  rotation,
  timestamps,
  alike,
  duplicates,
  concurrent,
  reused,
  failing,
  order,
  unknown,
  schemas,
  money,
  bodies,
  sizes,
  encodings,
  methods,
  connections,
  load,
  leaks,
  slowBodies,
  hanging,
];
