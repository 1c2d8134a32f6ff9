/** Reads the spans that the collector's debug exporter prints. */

export interface PrintedSpan {
  traceId: string;
  /** Empty for a root. */
  parentId: string;
  id: string;
  name: string;
  kind: string;
  /** With their types, such as `Str(chat)` and `Int(200)`. */
  attributes: Record<string, string>;
}

export const printedSpans = (output: string): PrintedSpan[] =>
  output
    .split(/^Span #\d+$/m)
    .slice(1)
    .map(spanIn);

function spanIn(text: string): PrintedSpan {
  const field = (name: string) => new RegExp(`^ {4}${name} *: (.*)$`, "m").exec(text)?.[1] ?? "";
  const [, listed = ""] = /^Attributes:\n((?: +-> .*\n)*)/m.exec(text) ?? [];
  const attributes = [...listed.matchAll(/^ +-> ([^:]+): (.*)$/gm)].map(
    ([, key = "", value = ""]) => [key, value],
  );
  return {
    traceId: field("Trace ID"),
    parentId: field("Parent ID"),
    id: field("ID"),
    name: field("Name"),
    kind: field("Kind"),
    attributes: Object.fromEntries(attributes),
  };
}
