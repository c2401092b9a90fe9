/** Counts a text's characters like JSON Schema: a surrogate pair is one. */
export function lengthOf(text: string): number {
  let length = text.length;
  // A megabyte is not counted one by one: the engine finds quickly that it has no pairs.
  if (length > LONG && !HIGH.test(text)) return length;
  for (let index = 1; index < text.length; index += 1)
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) length -= 1;
  return length;
}

const LONG = 256;
const HIGH = /[\uD800-\uDBFF]/;
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
