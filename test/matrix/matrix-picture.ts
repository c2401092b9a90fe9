import type { MatrixOfRole } from "./matrix-document.ts";

const CELL = 12;
const LABELS = 196;
const TOP = 44;
const FOOT = 40;
const MARGIN = 12;

/** The matrix as a picture: a row a requirement, a column a fault, a mark where one catches the other. */
export function pictureOf(role: string, { requirements, rows }: MatrixOfRole): string {
  const faults = inOrder(requirements, rows);
  const width = LABELS + faults.length * CELL + MARGIN;
  const height = TOP + requirements.length * CELL + FOOT;
  const bottom = TOP + requirements.length * CELL;
  const right = LABELS + faults.length * CELL;
  const excused = faults.reduce((sum, { also }) => sum + Object.keys(also).length, 0);

  const bands = requirements.map((id, index) => {
    const y = TOP + index * CELL;
    const band =
      index % 2 === 0
        ? `<rect class="band" x="${LABELS}" y="${y}" width="${right - LABELS}" height="${CELL}"/>`
        : "";
    return `${band}<text class="id" x="${LABELS - 8}" y="${y + 9}">${id}</text>`;
  });
  const numbers = faults.flatMap((_, index) =>
    index % 10 === 9
      ? [
          `<text class="number" x="${LABELS + index * CELL + CELL / 2}" y="${TOP - 6}">${index + 1}</text>`,
        ]
      : [],
  );
  const marks = faults.flatMap(({ requirement, what, also, caughtBy }, column) =>
    caughtBy.map((id) => {
      const x = LABELS + column * CELL + 1.5;
      const y = TOP + requirements.indexOf(id) * CELL + 1.5;
      const kind = id === requirement ? "own" : id in also ? "also" : "wrong";
      const why = id === requirement ? "" : `: ${also[id] ?? "not argued"}`;
      const told = text(`${id} catches ${column + 1}, ${what}${why}`);
      return `<rect class="${kind}" x="${x}" y="${y}" width="${CELL - 3}" height="${CELL - 3}" rx="2"><title>${told}</title></rect>`;
    }),
  );

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">What catches which broken ${role}</title>
<desc id="desc">${requirements.length} requirements in rows, ${faults.length} broken ${role}s in columns, in the same order. Each broken ${role} is caught by the requirement that it breaks, on the diagonal${excused === 0 ? "" : `, and ${excused} times by another one too, for a reason that the table gives`}.</desc>
<style>
svg { font: 9px ui-sans-serif, system-ui, sans-serif; --ink: #1f2328; --faint: #59636e; --paper: #fff; --band: #f3f4f6; --own: #0b6e4f; --also: #9a6700; --wrong: #c0262d; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #9198a1; --paper: #0d1117; --band: #161b22; --own: #3fb68b; --also: #d29922; --wrong: #f85149; } }
.paper { fill: var(--paper); } .band { fill: var(--band); } text { fill: var(--ink); }
.id { text-anchor: end; } .number { text-anchor: middle; fill: var(--faint); } .note { fill: var(--faint); }
.head { font-size: 12px; font-weight: 600; }
.own { fill: var(--own); } .also { fill: none; stroke: var(--also); stroke-width: 1.5; } .wrong { fill: var(--wrong); }
</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="head" x="${MARGIN}" y="18">Requirements × broken ${role}s</text>
${bands.join("\n")}
${numbers.join("\n")}
${marks.join("\n")}
<rect class="own" x="${LABELS}" y="${bottom + 14}" width="9" height="9" rx="2"/><text class="note" x="${LABELS + 14}" y="${bottom + 22}">caught by the requirement that it breaks</text>
<rect class="also" x="${LABELS + 230}" y="${bottom + 14}" width="9" height="9" rx="2"/><text class="note" x="${LABELS + 244}" y="${bottom + 22}">caught by another one too, for a reason that the table gives</text>
</svg>
`;
}

/** Faults in the order of the requirements that they break. */
export function inOrder(
  requirements: readonly string[],
  rows: MatrixOfRole["rows"],
): MatrixOfRole["rows"] {
  return rows.toSorted(
    (one, other) => requirements.indexOf(one.requirement) - requirements.indexOf(other.requirement),
  );
}

const text = (plain: string): string =>
  plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
