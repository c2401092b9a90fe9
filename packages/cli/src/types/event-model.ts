import type { Profile } from "@countersign/schemas/profiles";
import { profiledEvents, type Schema, type Schemas } from "@countersign/service/internal";
import { constantsOf, flattened, pascalCase } from "./schemas.ts";

/** An event as a type: an entry of the catalogue, in the format of the profile's envelope. */
export interface EventShape {
  /** Of its type, such as `RefundAuthorizedEvent`. */
  readonly name: string;
  readonly type: string;
  readonly rows: readonly Profile["catalogue"][number][];
  /** One schema for each kind of its data. */
  readonly payloads: readonly Schema[];
  /** All kinds in one: members that some kinds lack are optional. */
  readonly schema: Schema;
  /** The member that distinguishes it from other events of its type; absent if it is the only one. */
  readonly when?: { readonly path: readonly string[]; readonly value: string };
}

/** The events of a profile, for whatever prints them. */
export interface EventModel {
  readonly profile: Profile;
  readonly events: readonly EventShape[];
  /** Schemas that the events refer to, by title. */
  readonly schemas: Schemas;
  /** The members that lead to an event's type. */
  readonly typePath: readonly string[];
}

/**
 * Returns the events of a profile's catalogue. Moments of one type that no constant member distinguishes
 * become one event.
 */
export function eventModel(profile: Profile): EventModel {
  const { events, schemas } = profiledEvents(profile);
  const byType = Map.groupBy(events, ({ row }) => row.type);
  const shapes = [...byType].flatMap(([type, group]): readonly EventShape[] => {
    const alone = group.map(({ row, payloads }) => ({
      name: `${pascalCase(row.kind ?? type)}Event`,
      type,
      rows: [row],
      payloads,
      schema: flattened(payloads, schemas),
    }));
    if (alone.length === 1) return alone;
    const constants = alone.map(({ schema }) => constantsOf(schema, schemas));
    const pointer = [...(constants[0]?.keys() ?? [])].find((candidate) => {
      const values = constants.map((of) => of.get(candidate));
      return !values.includes(undefined) && new Set(values).size === values.length;
    });
    if (pointer !== undefined)
      return alone.map((shape, index) => ({
        ...shape,
        when: { path: membersOf(pointer), value: constants[index]?.get(pointer) ?? "" },
      }));
    const payloads = group.flatMap((event) => event.payloads);
    const rows = group.map(({ row }) => row);
    const schema = flattened(payloads, schemas);
    return [{ name: `${pascalCase(type)}Event`, type, rows, payloads, schema }];
  });
  return {
    profile,
    events: withNamesOfTheirOwn(shapes),
    schemas,
    typePath: membersOf(profile.envelope.type),
  };
}

/** A catalogue may list one kind of event under two types. */
function withNamesOfTheirOwn(shapes: readonly EventShape[]): readonly EventShape[] {
  const taken = new Set<string>();
  return shapes.map((shape) => {
    const names = [shape.name, `${pascalCase(shape.type)}Event`];
    const free = (name: string): boolean => !taken.has(name);
    let name = names.find(free) ?? "";
    for (let number = 2; name === ""; number += 1)
      name = [`${shape.name}${String(number)}`].find(free) ?? "";
    taken.add(name);
    return { ...shape, name };
  });
}

/** A JSON Pointer's members (RFC 6901 section 4). */
function membersOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
}
