import type { ReceiverCheck } from "../check.ts";
import { alike } from "./checks/alike.ts";
import { bodies } from "./checks/bodies.ts";
import { concurrent } from "./checks/concurrent.ts";
import { connections } from "./checks/connections.ts";
import { duplicates } from "./checks/duplicates.ts";
import { encodings } from "./checks/encodings.ts";
import { failing } from "./checks/failing.ts";
import { genuine } from "./checks/genuine.ts";
import { hanging } from "./checks/hanging.ts";
import { leaks } from "./checks/leaks.ts";
import { load } from "./checks/load.ts";
import { methods } from "./checks/methods.ts";
import { money } from "./checks/money.ts";
import { order } from "./checks/order.ts";
import { rawBytes } from "./checks/raw-bytes.ts";
import { reused } from "./checks/reused.ts";
import { rotation } from "./checks/rotation.ts";
import { schemas } from "./checks/schemas.ts";
import { signatureLists } from "./checks/signature-lists.ts";
import { signatures } from "./checks/signatures.ts";
import { sizes } from "./checks/sizes.ts";
import { slowBodies } from "./checks/slow-bodies.ts";
import { tampered } from "./checks/tampered.ts";
import { timestamps } from "./checks/timestamps.ts";
import { unknown } from "./checks/unknown.ts";
import { unsigned } from "./checks/unsigned.ts";
import { wrongKey } from "./checks/wrong-key.ts";

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
