/** The tags of an entry of a list: `npm test` takes the first `count` of them, CI takes all. */
export const ciAfter = (count: number, index: number): string[] => (index < count ? [] : ["ci"]);
