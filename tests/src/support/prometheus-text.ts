// Reads the text format of Prometheus strictly, by its description and independently of the
// gateway's writer.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format

export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ReadMetrics {
  samples: ReadSample[];
  types: Map<string, string>;
  /** The sum of all samples of a name whose labels include these. */
  sum(name: string, labels?: Record<string, string>): number;
}

const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)$|^NaN$/i;
const labelPattern = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,(?=[a-zA-Z_])|(?=\}))/;
const escapes: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", '\\"': '"' };

/** Throws on anything that the format does not allow. */
export function readPrometheusText(text: string): ReadMetrics {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const samples: ReadSample[] = [];
  const types = new Map<string, string>();
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    if (line.startsWith("# HELP ") || line === "# EOF") continue;
    const [, typed, type] =
      /^# TYPE ([a-zA-Z_:]\w*) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} has two types`);
      types.set(typed, type);
      continue;
    }
    const sample = readSample(line);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new Error(`two samples of ${key}`);
    seen.add(key);
    samples.push(sample);
  }
  checkHistograms(samples, types);
  return {
    samples,
    types,
    sum: (name, labels = {}) =>
      samples
        .filter((one) => one.name === name)
        .filter((one) =>
          Object.entries(labels).every(([label, value]) => one.labels[label] === value),
        )
        .reduce((total, { value }) => total + value, 0),
  };
}

function readSample(line: string): ReadSample {
  const [, name, rest] = /^([a-zA-Z_:]\w*)(.*)$/s.exec(line) ?? [];
  if (name === undefined || rest === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  let left = rest;
  if (left.startsWith("{")) {
    left = left.slice(1);
    while (!left.startsWith("}")) {
      const [whole, label, value] = labelPattern.exec(left) ?? [];
      if (whole === undefined || label === undefined || value === undefined)
        throw new Error(`no label: ${left}`);
      if (label in labels) throw new Error(`two labels ${label}`);
      labels[label] = value.replace(/\\[\\n"]/g, (pair) => escapes[pair] ?? pair);
      left = left.slice(whole.length);
    }
    left = left.slice(1);
  }
  const number = left.slice(1);
  if (!left.startsWith(" ") || !numberPattern.test(number)) throw new Error(`no value: ${line}`);
  return { name, labels, value: number === "+Inf" ? Number.POSITIVE_INFINITY : Number(number) };
}

/** Buckets rise, and the last one is the count. */
function checkHistograms(samples: readonly ReadSample[], types: ReadonlyMap<string, string>): void {
  for (const [name, type] of types) {
    if (type !== "histogram") continue;
    const bySeries = Map.groupBy(
      samples.filter((one) => one.name === `${name}_bucket`),
      ({ labels: { le: _, ...labels } }) => JSON.stringify(labels),
    );
    for (const [key, buckets] of bySeries) {
      const bounds = buckets.map(({ labels }) =>
        Number(labels.le === "+Inf" ? Number.POSITIVE_INFINITY : labels.le),
      );
      const rises = (values: number[]) =>
        values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));
      if (!rises(bounds) || !rises(buckets.map(({ value }) => value)))
        throw new Error(`${name} ${key} does not rise`);
      const count = samples.find(
        (one) => one.name === `${name}_count` && JSON.stringify(one.labels) === key,
      )?.value;
      if (bounds.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
        throw new Error(`${name} ${key} counts ${count}`);
    }
  }
}
