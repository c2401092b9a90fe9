import { customerTransitions } from "../../../rules/src/customer.ts";
import { mermaid } from "../../../rules/src/mermaid.ts";
import { refundTransitions } from "../../../rules/src/refund-transitions.ts";

const diagrams: Readonly<Record<string, string>> = {
  refund: mermaid(refundTransitions),
  customer: mermaid(customerTransitions),
};

/**
 * A Markdown text whose state diagrams are those of the rules' own transitions: each stands between
 * `<!-- states: NAME -->` and `<!-- end -->`.
 *
 * @throws {Error} the text has no place for one of them.
 */
export function withDiagrams(text: string): string {
  return Object.entries(diagrams).reduce((before, [name, diagram]) => {
    const place = new RegExp(`(<!-- states: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!place.test(before)) throw new Error(`there is no place for the states of ${name}`);
    return before.replace(place, `$1\n\`\`\`mermaid\n${diagram}\`\`\`\n\n$2`);
  }, text);
}
