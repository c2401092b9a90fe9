import { useInspector } from "../inspector-context.ts";
import { durationText } from "../parts/duration-text.ts";
import { Time } from "../parts/time.tsx";
import type { Delivery } from "../remote/shapes.ts";

const WIDTH = 640;
const EDGE = 14;
const MIDDLE = 22;

/** The schedule's steps as a line in time, logarithmic: attempts made, the next one, those left. */
export function ScheduleLine({ delivery }: { readonly delivery: Delivery }) {
  const { about } = useInspector();
  const { attempts, nextAttemptAt, state } = delivery;
  const sums = about.scheduleSeconds.map((_, index, steps) =>
    steps.slice(0, index + 1).reduce((sum, step) => sum + step, 0),
  );
  const longest = Math.log10(1 + (sums.at(-1) ?? 1));
  const xOf = (seconds: number): number =>
    EDGE + (Math.log10(1 + seconds) / longest) * (WIDTH - 2 * EDGE);
  const made = attempts.length;
  return (
    <figure className="schedule" tabIndex={0}>
      <svg
        viewBox={`0 0 ${String(WIDTH)} 44`}
        role="img"
        aria-label={labelOf(delivery, sums.length)}
      >
        <line x1={EDGE} x2={WIDTH - EDGE} y1={MIDDLE} y2={MIDDLE} className="axis" />
        {sums.map((seconds, index) => {
          const attempt = attempts[index];
          const kind =
            attempt === undefined
              ? index === made && nextAttemptAt !== null
                ? "next"
                : "left"
              : isGood(attempt.status)
                ? "good"
                : "bad";
          return (
            <g key={about.scheduleSeconds.slice(0, index + 1).join(" ")}>
              <circle cx={xOf(seconds)} cy={MIDDLE} r={kind === "next" ? 7 : 5} className={kind} />
              {(index < 2 || index % 2 === 1 || kind === "next") && (
                <text x={xOf(seconds)} y={MIDDLE + 20} textAnchor="middle">
                  {durationText(seconds)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption className="note">
        {nextAttemptAt === null ? (
          `No further attempt: ${state}.`
        ) : (
          <>
            Attempt {made + 1} of {sums.length} is due <Time at={nextAttemptAt} /> by the sandbox
            clock.
          </>
        )}
        {made > sums.length && ` Replays are beyond the schedule.`}
      </figcaption>
    </figure>
  );
}

function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function labelOf({ attempts, state }: Delivery, steps: number): string {
  return `${String(attempts.length)} of ${String(steps)} scheduled attempts made, ${state}`;
}
