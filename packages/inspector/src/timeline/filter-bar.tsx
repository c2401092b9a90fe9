import { useEffect, useRef } from "react";
import { NEW } from "../parts/split-view.tsx";
import { addressOf } from "../parts/use-place.ts";
import type { StreamState } from "../remote/stream.ts";

const words: Readonly<Record<StreamState, string>> = {
  live: "live",
  connecting: "connecting…",
  ended: "ended: open the address that the sandbox has printed",
};

export interface Filter {
  /** Any of these; all where it is empty. */
  readonly categories: readonly string[];
  /** One type, or all where it is empty. */
  readonly type: string;
  readonly search: string;
}

export interface FilterBarProps {
  readonly filter: Filter;
  readonly types: readonly { readonly type: string; readonly category: string }[];
  readonly onFilter: (filter: Filter) => void;
  readonly stream: StreamState;
  readonly isPaused: boolean;
  /** Events that have come since the pause. */
  readonly missed: number;
  readonly onPause: () => void;
  readonly counts: { readonly shown: number; readonly all: number };
}

export function FilterBar(props: FilterBarProps) {
  const { filter, types, onFilter, stream, isPaused, missed, onPause, counts } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement &&
        /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const categories = [...new Set(types.map(({ category }) => category))];
  const toggle = (category: string): void => {
    const on = filter.categories.includes(category);
    const rest = filter.categories.filter((one) => one !== category);
    onFilter({ ...filter, categories: on ? rest : [...rest, category] });
  };
  return (
    <div className="filter">
      <input
        ref={input}
        type="search"
        aria-label="Search type, event id or resource id"
        placeholder="Search type or id  /"
        value={filter.search}
        onChange={(event) => onFilter({ ...filter, search: event.target.value })}
      />
      <select
        aria-label="Type"
        value={filter.type}
        onChange={(event) => onFilter({ ...filter, type: event.target.value })}
      >
        <option value="">every type</option>
        {types.map(({ type }) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      <button type="button" aria-pressed={isPaused} onClick={onPause} className="pause">
        {isPaused ? `resume${missed > 0 ? ` (${String(missed)} new)` : ""}` : "pause"}
      </button>
      <div className="buttons">
        {categories.map((category) => (
          <button
            key={category}
            type="button"
            className={`chip ${category.toLowerCase()}`}
            aria-pressed={filter.categories.includes(category)}
            onClick={() => toggle(category)}
          >
            {category}
          </button>
        ))}
      </div>
      <a className="button" href={addressOf("timeline", NEW)} title="Write an event">
        + event
      </a>
      <span className={`live ${stream === "live" ? "on" : ""}`} role="status">
        {isPaused ? "paused" : words[stream]}
      </span>
      <span className="note count">
        {counts.shown === counts.all
          ? `${counts.all.toLocaleString()} events`
          : `${counts.shown.toLocaleString()} of ${counts.all.toLocaleString()}`}
      </span>
    </div>
  );
}
