// Names that turn a later merge or look-up into an attack on Object.prototype.
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

// Up to this many members are compared one by one: quicker than a set for most objects, and a bound
// on the work that a body of many members can ask for.
const COMPARED_ONE_BY_ONE = 16;

/** The member names of one object, in the order in which they are met. */
export interface MemberNames {
  readonly met: string[];
  many: Set<string> | undefined;
}

/** Adds a name as it reads after unescaping, or says why it cannot stand. */
export function addName(
  names: MemberNames,
  name: string,
): "CS_JSON_DUPLICATE_MEMBER" | "CS_JSON_FORBIDDEN_MEMBER" | undefined {
  if (FORBIDDEN.has(name)) return "CS_JSON_FORBIDDEN_MEMBER";
  const { met } = names;
  if (names.many !== undefined) {
    if (names.many.has(name)) return "CS_JSON_DUPLICATE_MEMBER";
    names.many.add(name);
  } else {
    if (met.includes(name)) return "CS_JSON_DUPLICATE_MEMBER";
    if (met.length === COMPARED_ONE_BY_ONE) names.many = new Set([...met, name]);
  }
  met.push(name);
  return undefined;
}
