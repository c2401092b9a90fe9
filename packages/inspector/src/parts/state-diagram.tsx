import type { Transition } from "../remote/shapes.ts";
import { layOut } from "./lay-out-states.ts";

/** A state machine, drawn from the rules' own transitions, with the present state marked. */
export function StateDiagram({
  transitions,
  present,
}: {
  readonly transitions: readonly Transition[];
  readonly present: string;
}) {
  const { states, arrows, width, height } = layOut(transitions);
  return (
    <figure className="states">
      <svg
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        role="img"
        aria-label={`States ${states.map(({ name }) => name).join(", ")}; now ${present}`}
      >
        {arrows.map(({ key, path, head, label, labelAt }) => (
          <g key={key} className="arrow">
            <path d={path} />
            <polygon points={head} />
            <text x={labelAt.x} y={labelAt.y} textAnchor="middle">
              {label}
            </text>
          </g>
        ))}
        {states.map(({ name, x, y, w, h }) => (
          <g key={name} className={`state ${name === present ? "present" : ""}`}>
            {name === "" ? (
              <circle cx={x + w / 2} cy={y + h / 2} r={7} />
            ) : (
              <>
                <rect x={x} y={y} width={w} height={h} rx={8} />
                <text x={x + w / 2} y={y + h / 2 + 4} textAnchor="middle">
                  {name}
                </text>
              </>
            )}
          </g>
        ))}
      </svg>
      <details>
        <summary className="note">as a table</summary>
        <div className="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">from</th>
                <th scope="col">trigger</th>
                <th scope="col">to</th>
                <th scope="col">effect</th>
              </tr>
            </thead>
            <tbody>
              {transitions.map(({ from, trigger, condition, to, effect }) => (
                <tr key={`${from ?? ""} ${trigger} ${condition ?? ""} ${to}`}>
                  <td>{from ?? "(asked for)"}</td>
                  <td>
                    {trigger}
                    {condition !== null && <span className="note"> [{condition}]</span>}
                  </td>
                  <td>{to}</td>
                  <td>{effect}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
