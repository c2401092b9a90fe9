/** Seconds as people say them: `5 s`, `30 min`, `2 h`, `3 d`. */
export function durationText(seconds: number): string {
  const units = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
  ] as const;
  for (const [unit, length] of units) {
    if (seconds >= length) return `${String(Math.round((seconds / length) * 10) / 10)} ${unit}`;
  }
  return seconds === 0 ? "now" : `${String(seconds)} s`;
}
