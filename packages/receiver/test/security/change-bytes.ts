import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";

export interface ChangedBytes {
  /** Of the genuine body. */
  readonly bytes: number;
  readonly attempts: number;
  /** Places of a changed byte under which the body was not refused, or handled: must be none. */
  readonly accepted: readonly number[];
}

/** Sends a genuine attempt with one byte of its body changed, each byte by each of these exclusive ors. */
export async function changeBytes(flips: readonly number[]): Promise<ChangedBytes> {
  const { receiver, handled } = recordingReceiver();
  const { headers, body } = attemptOf(refundAuthorized());
  const changed = Buffer.from(body);
  const accepted: number[] = [];
  let attempts = 0;
  for (const [position, before] of body.entries()) {
    for (const flip of flips) {
      changed[position] = before ^ flip;
      const outcome = await receiver.receive({ headers, body: changed });
      attempts += 1;
      if (outcome.kind !== "rejected" || handled.length > 0) accepted.push(position);
    }
    changed[position] = before;
  }
  return { bytes: body.length, attempts, accepted };
}
