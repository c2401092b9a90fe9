import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { without, type Header } from "../../harness/request.ts";
import { receiverCheck } from "../../harness/play.ts";

const DOCUMENTED = "R-BODY-DOCUMENTED";
const SIZE = "R-BODY-SIZE";

/** What Standard Webhooks calls usual, in bytes. */
const USUAL_BYTES = 20_000;
const ENDLESS_BYTES = 16 * 1_048_576;
const CHUNK_BYTES = 262_144;
/** Milliseconds that a receiver has to refuse before each further piece. */
const PATIENCE_MS = 2;
const LAST_PATIENCE_MS = 2000;

/** Genuine bodies as large as they may be, and one from a stranger that is larger than any event. */
export const sizes: ReceiverCheck = receiverCheck({
  id: "receiver/sizes",
  title: "bodies of every documented size are taken, and one without end is refused before its end",
  requirements: [DOCUMENTED, SIZE],
  play: async (bench) => {
    const { docket, target } = bench;
    const documented = [USUAL_BYTES, target.profile.limits.bodyBytes];
    const attempts = documented.map((bytes) => {
      const event = bench.event();
      const text = event.body.toString();
      // Spaces, since a member more would be another requirement's affair.
      const body = text.replace("{", `{${" ".repeat(Math.max(0, bytes - text.length))}`);
      return bench.attempt({ ...event, body: Buffer.from(body) });
    });
    const replies = await bench.postAll(attempts);
    documented.forEach((bytes, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        DOCUMENTED,
        reply.isAcknowledged,
        () => `a genuine body of ${bytes} bytes: to be taken, and ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
    await endless(bench, "whose length is announced", [["Content-Length", String(ENDLESS_BYTES)]]);
    await endless(bench, "in chunks", [["Transfer-Encoding", "chunked"]]);
  },
});

/** A stranger's body, of which no more is sent as soon as the receiver says anything. */
async function endless(bench: Bench, how: string, framing: readonly Header[]): Promise<void> {
  const { docket, target, signing } = bench;
  const { wire } = target;
  const genuine = bench.attempt(bench.event());
  const names = Object.values(signing.names).filter((name) => name !== undefined);
  const headers = [...without(genuine.headers, names), ...framing];
  const request = { ...genuine, headers, body: Buffer.alloc(0) };
  const isChunked = framing.some(([name]) => name === "Transfer-Encoding");
  const piece = Buffer.alloc(CHUNK_BYTES, " ");
  const bytes = isChunked
    ? Buffer.concat([Buffer.from(`${CHUNK_BYTES.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
    : piece;
  await wire.pace();
  const connection = wire.open();
  const head = wire.head(request);
  connection.write(head);
  let sent = 0;
  let hasHeard = await connection.hears(PATIENCE_MS);
  while (!hasHeard && connection.isOpen() && sent + CHUNK_BYTES < ENDLESS_BYTES) {
    connection.write(bytes);
    sent += CHUNK_BYTES;
    // oxlint-disable-next-line no-await-in-loop -- piece after piece, until it says something
    hasHeard = await connection.hears(PATIENCE_MS);
  }
  hasHeard ||= await connection.hears(LAST_PATIENCE_MS);
  const isCutOff = !connection.isOpen();
  const received = await connection.read({ method: "POST", deadlineMs: hasHeard ? 1000 : 1 });
  connection.close();
  const reply = bench.reply([head, Buffer.from(`[${sent} bytes of spaces]`)], received);
  docket.judge(
    SIZE,
    (hasHeard || isCutOff) && !reply.isAcknowledged,
    () =>
      reply.isAcknowledged
        ? `a stranger's body ${how}: ${reply.said} came`
        : `a stranger's body ${how}: ${sent} bytes were taken, and no refusal came`,
    () => [reply.exchange()],
  );
}
