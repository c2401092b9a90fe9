import type { Transition } from "../remote/shapes.ts";

export interface DrawnState {
  /** Empty: nothing exists yet. */
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface DrawnArrow {
  readonly key: string;
  readonly path: string;
  readonly head: string;
  readonly label: string;
  readonly labelAt: { readonly x: number; readonly y: number };
}

const W = 148;
const H = 34;
const COLUMN = 236;
const TOP = 104;
/** Height of a bow's control points for each column that it passes. */
const BEND = 40;

/**
 * States in one line in the order in which the transitions name them, neighbours joined by straight arrows
 * and others by bows: forward ones above, backward ones below. Triggers between the same two share one.
 */
export function layOut(transitions: readonly Transition[]): {
  readonly states: readonly DrawnState[];
  readonly arrows: readonly DrawnArrow[];
  readonly width: number;
  readonly height: number;
} {
  const names = orderOf(transitions);
  const states = names.map((name, index): DrawnState => {
    const w = name === "" ? 20 : W;
    const x = index === 0 ? 8 : 8 + (index - 1) * COLUMN + 110;
    return { name, x, y: TOP, w, h: H };
  });
  const triggers = new Map<string, string[]>();
  for (const { from, to, trigger } of transitions) {
    const key = `${from ?? ""} ${to}`;
    const known = triggers.get(key) ?? [];
    if (!known.includes(trigger)) triggers.set(key, [...known, trigger]);
  }
  const arrows = [...triggers].flatMap(([key, words]) => {
    const [from = "", to = ""] = key.split(" ");
    const one = states[names.indexOf(from)];
    const other = states[names.indexOf(to)];
    if (one === undefined || other === undefined) return [];
    const apart = names.indexOf(to) - names.indexOf(from);
    return [arrow({ key, one, other, apart, label: words.join(", ") })];
  });
  const last = states.at(-1);
  return { states, arrows, width: (last?.x ?? 0) + W + 8, height: TOP + H + 72 };
}

/** Nothing, then each state where it is first named; the ends of failure last. */
function orderOf(transitions: readonly Transition[]): string[] {
  const names = [...new Set(transitions.flatMap(({ from, to }) => [from ?? "", to]))];
  const leaves = (name: string): boolean =>
    !transitions.some(({ from, to }) => (from ?? "") === name && to !== name);
  return [...names.filter((name) => !leaves(name)), ...names.filter(leaves)];
}

interface Joining {
  readonly key: string;
  readonly one: DrawnState;
  readonly other: DrawnState;
  /** Columns from one to the other. */
  readonly apart: number;
  readonly label: string;
}

function arrow({ key, one, other, apart, label }: Joining): DrawnArrow {
  const middle = TOP + H / 2;
  if (apart === 1) {
    const [from, to] = [one.x + one.w, other.x];
    const path = `M ${String(from)} ${String(middle)} H ${String(to - 6)}`;
    const head = points([to, middle], [to - 8, middle - 4], [to - 8, middle + 4]);
    return { key, path, head, label, labelAt: { x: (from + to) / 2, y: middle - 8 } };
  }
  if (apart === 0) return loop({ key, one, other, apart, label });
  const isUp = apart > 0;
  const edge = isUp ? TOP : TOP + H;
  const away = isUp ? -1 : 1;
  // Wider bows begin and end outside of narrower ones.
  const spread = 10 * Math.abs(apart) - 30;
  const from = one.x + one.w / 2 - away * (one.name === "" ? -spread / 3 : -spread);
  const to = other.x + other.w / 2 + away * (16 - spread);
  const bend = edge + away * BEND * Math.abs(apart);
  const path = bow([from, edge], [to, edge + away * 6], bend);
  const head = points([to, edge], [to - 4, edge + away * 8], [to + 4, edge + away * 8]);
  const top = edge + 0.75 * (bend - edge);
  return { key, path, head, label, labelAt: { x: (from + to) / 2, y: top + (isUp ? -6 : 14) } };
}

/** A move that stays in its state. */
function loop({ key, one, label }: Joining): DrawnArrow {
  const edge = TOP + H;
  const [from, to] = [one.x + one.w / 2 - 20, one.x + one.w / 2 + 20];
  const path = bow([from, edge], [to, edge + 6], edge + 36);
  const head = points([to, edge], [to - 4, edge + 8], [to + 4, edge + 8]);
  return { key, path, head, label, labelAt: { x: (from + to) / 2, y: edge + 44 } };
}

type Point = readonly [x: number, y: number];

function bow(from: Point, to: Point, bend: number): string {
  const text = (...numbers: readonly number[]): string => numbers.map(String).join(" ");
  return `M ${text(...from)} C ${text(from[0], bend, to[0], bend)} ${text(...to)}`;
}

const points = (...list: readonly Point[]): string =>
  list.map(([x, y]) => `${String(x)},${String(y)}`).join(" ");
