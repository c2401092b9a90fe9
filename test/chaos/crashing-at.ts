import { appendFileSync } from "node:fs";

/** Ends this process by SIGKILL when it passes a point for the `pass`th time, and adds the point to a file. */
export function crashingAt<Point extends string>(
  crash: { readonly point: Point; readonly pass: number } | undefined,
  file: string,
): (point: Point) => void {
  let passes = 0;
  return (point) => {
    if (crash?.point !== point) return;
    passes += 1;
    if (passes !== crash.pass) return;
    appendFileSync(file, `${point}\n`);
    process.kill(process.pid, "SIGKILL");
  };
}
