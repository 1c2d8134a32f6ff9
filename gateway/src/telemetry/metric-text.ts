/**
 * Writes metrics as text that Prometheus reads: its own format 0.0.4, and OpenMetrics 1.0, which
 * differs in the names of counters and in its end. A large answer is written in slices, so that
 * calls are served in between.
 */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Histogram, MetricDefinition, MetricFamily, MetricLabel } from "./metric-registry.ts";

export type MetricFormat = "text" | "openmetrics";

export const metricContentTypes: Readonly<Record<MetricFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

export const buildMetricFormat = (accept: string): MetricFormat =>
  accept.includes("application/openmetrics-text") ? "openmetrics" : "text";

/** The longest time for which writing keeps others from the loop. */
const sliceMs = 5;

/** `now` in milliseconds. */
export async function formatMetricText(
  families: readonly MetricFamily[],
  format: MetricFormat,
  now: () => number = () => performance.now(),
): Promise<string> {
  const parts: string[] = [];
  let sliceBegan = now();
  for (const family of families) {
    parts.push(readHead(family, format));
    for (const lines of buildLines(family)) {
      parts.push(lines);
      if (now() - sliceBegan < sliceMs) continue;
      await turnOfTheLoop();
      sliceBegan = now();
    }
  }
  if (format === "openmetrics") parts.push("# EOF\n");
  return parts.join("");
}

/** OpenMetrics names a counter without the end of its samples. */
function readHead({ definition, type }: MetricFamily, format: MetricFormat): string {
  const { name, help } = definition;
  const shown = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
  return `# HELP ${shown} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${shown} ${type}\n`;
}

/** The lines of one child at a time, which belong to one moment. */
function* buildLines(family: MetricFamily): Generator<string> {
  const { definition } = family;
  const { name, labels: names } = definition;
  if ("samples" in family) {
    for (const [values, value] of family.samples())
      yield `${name}${labelText(names, values)} ${scaled(value, definition)}\n`;
  } else if (family.type === "counter") {
    for (const { labels, value } of family.children())
      yield `${name}${labelText(names, labels)} ${scaled(value.value, definition)}\n`;
  } else
    for (const { labels, value } of family.children())
      yield formatHistogramLines(definition, labels, value);
}

function formatHistogramLines(
  definition: MetricDefinition,
  values: readonly string[],
  histogram: Histogram,
): string {
  const { name, labels } = definition;
  let text = "";
  let total = 0;
  for (const [bucket, count] of histogram.counts.entries()) {
    total += count;
    const bound = histogram.bounds[bucket];
    const le = bound === undefined ? "+Inf" : scaled(bound, definition);
    text += `${name}_bucket${labelText(labels, values, `le="${le}"`)} ${total}\n`;
  }
  const own = labelText(labels, values);
  return `${text}${name}_sum${own} ${scaled(histogram.sum, definition)}\n${name}_count${own} ${total}\n`;
}

function labelText(labels: readonly MetricLabel[], values: readonly string[], more = ""): string {
  const pairs = labels.map(({ name }, place) => `${name}="${escapeHtml(values[place] ?? "")}"`);
  if (more !== "") pairs.push(more);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Names of models and channels may hold anything. */
const escapeHtml = (value: string): string =>
  value.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

const scaled = (value: number, { perUnit = 1 }: MetricDefinition): string =>
  String(value / perUnit);
