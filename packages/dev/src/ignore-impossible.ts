// A plugin of Stryker: leaves out the `default:` branches whose value has the type never, which no test can reach.

interface Node {
  readonly type: string;
  readonly test?: Node | null;
  readonly consequent?: readonly Node[];
  readonly argument?: Node | null;
  readonly typeAnnotation?: Node;
}

function shouldIgnore({ node }: { readonly node: Node }): string | undefined {
  if (node.type !== "SwitchCase" || node.test !== null) return undefined;
  const value = node.consequent?.[0]?.argument;
  const isImpossible =
    value?.type === "TSSatisfiesExpression" && value.typeAnnotation?.type === "TSNeverKeyword";
  return isImpossible ? "The compiler shows that all cases are handled." : undefined;
}

export const strykerPlugins = [
  { kind: "Ignore", name: "impossible-branches", value: { shouldIgnore } },
];
