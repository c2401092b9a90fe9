import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { mustRefuse, receiverCheck } from "../../harness/play.ts";

const ENCODED = "R-BODY-ENCODED";
const IDENTITY = "R-BODY-IDENTITY";
const MEDIA = "R-BODY-MEDIA";

const codings = [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const;

/** Bodies that say they are something else than JSON as it stands. */
export const encodings: ReceiverCheck = receiverCheck({
  id: "receiver/encodings",
  title:
    "a body that is coded is not decoded before it is verified, and one of another type is not taken",
  requirements: [ENCODED, IDENTITY, MEDIA],
  play: async (bench) => {
    const coded = (coding: string, change: (body: Buffer) => Buffer): Attempt => {
      const event = bench.event();
      const headers = [["Content-Encoding", coding] as const];
      const attempt = bench.attempt(event, { headers });
      return { ...attempt, body: change(event.body) };
    };
    await mustRefuse(
      bench,
      ENCODED,
      codings.map(([coding, encode]) => ({
        what: `a body in ${coding}, with a signature of what it would be decoded to`,
        attempt: coded(coding, (body) => encode(body)),
      })),
    );
    await unsupported(bench, IDENTITY, [
      ...codings.map(([coding, encode]) => {
        const event = bench.event();
        const body = encode(event.body);
        const headers = [["Content-Encoding", coding] as const];
        return [
          `a body in ${coding}, with a signature of its bytes`,
          bench.attempt({ ...event, body }, { headers }),
        ] as const;
      }),
      ["a body that only says it is in gzip", coded("gzip", (body) => body)],
    ]);
    await mustTake(bench, IDENTITY, [["identity", coded("identity", (body) => body)]]);

    const typed = (type: string): readonly [string, Attempt] => [
      type,
      bench.attempt(bench.event(), { headers: [["Content-Type", type]] }),
    ];
    await unsupported(
      bench,
      MEDIA,
      [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "text/html",
      ].map(typed),
    );
    await mustTake(
      bench,
      MEDIA,
      ["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"].map(
        typed,
      ),
    );
  },
});

type Cases = readonly (readonly [what: string, attempt: Attempt])[];

async function unsupported(bench: Bench, requirement: string, cases: Cases): Promise<void> {
  const replies = await bench.postAll(cases.map(([, attempt]) => attempt));
  cases.forEach(([what], index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    bench.docket.judge(
      requirement,
      reply.status === 415,
      () => `${what}: 415 expected, ${reply.said} came`,
      () => [reply.exchange()],
    );
  });
}

async function mustTake(bench: Bench, requirement: string, cases: Cases): Promise<void> {
  const replies = await bench.postAll(cases.map(([, attempt]) => attempt));
  cases.forEach(([what], index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    bench.docket.judge(
      requirement,
      reply.isAcknowledged,
      () => `${what}: it is JSON as it stands, and ${reply.said} came`,
      () => [reply.exchange()],
    );
  });
}
