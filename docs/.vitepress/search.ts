/** MiniSearch's options for a query: all words, those of headings first, one letter wrong in ten. */
export const searchOptions = {
  combineWith: "AND",
  fuzzy: 0.1,
  prefix: true,
  boost: { title: 20, text: 2, titles: 4 },
} as const;
