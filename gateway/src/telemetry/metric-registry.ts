/**
 * Counters, gauges and histograms in memory, with a bound on the number of series. A value that a
 * call changes is an object that is looked up once and kept by the caller (`CounterFamily.child`);
 * gauges are asked when they are read.
 */

export interface MetricLabel {
  name: string;
  /**
   * Its values come from channels, models and the like: beyond the bound on series they are folded
   * into `other`.
   */
  isOpen: boolean;
}

export interface MetricDefinition {
  name: string;
  help: string;
  labels: readonly MetricLabel[];
  /** Values are counted as integers; this many of them are one of the unit in the name. */
  perUnit?: number;
  /** A value of the whole site, which every node has: it is not summed over them. */
  isOfSite?: true;
}

/** Upper bounds (inclusive) of the buckets, rising, in the integers that are counted. */
export type HistogramDefinition = MetricDefinition & { bounds: readonly number[] };

export class Counter {
  value = 0;
  add(amount: number): void {
    this.value += amount;
  }
}

export class Histogram {
  readonly bounds: readonly number[];
  /** `counts` go by bucket, not cumulative; the last one has no bound. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

/** Label values in the order of the definition's labels, and a value in its integers. */
export type MetricSample = readonly [labels: readonly string[], value: number];

export interface MetricChild<Value> {
  labels: readonly string[];
  value: Value;
}

export interface MetricChildren<Value> {
  /**
   * The value with these labels, in their order; keep it while `generation` of the registry stays
   * the same.
   */
  child(...labels: readonly string[]): Value;
}

export interface SampledMetric {
  /** Sets where the values are read from at each scrape; without a source there are none. */
  readFrom(source: () => Iterable<MetricSample>): void;
}

type SampledType = "gauge" | "counter" | "summary";

export type MetricFamily = { definition: MetricDefinition } & (
  | { type: "counter"; children(): Iterable<MetricChild<Counter>> }
  | { type: "histogram"; children(): Iterable<MetricChild<Histogram>> }
  | { type: SampledType; samples(): Iterable<MetricSample> }
);

export interface MetricRegistry {
  readonly families: readonly MetricFamily[];
  /** Changes when children are forgotten: one that a caller has kept must be looked up again. */
  readonly generation: number;
  /** Series of counters and histograms. */
  readonly seriesCount: number;
  /** Look-ups and samples that the bound on series has refused. */
  readonly droppedCount: number;
  counter(definition: MetricDefinition): MetricChildren<Counter>;
  histogram(definition: HistogramDefinition): MetricChildren<Histogram>;
  gauge(definition: MetricDefinition): SampledMetric;
  /**
   * Quantiles that another place keeps, by the label `quantile`; neither their sum nor their count.
   */
  summary(definition: MetricDefinition): SampledMetric;
  /** A counter that another place keeps. */
  sampledCounter(definition: MetricDefinition): SampledMetric;
  /** The values of a label that counters and histograms have, without `other`. */
  labelValues(label: string): Set<string>;
  /** Drops all counters and histograms whose label has this value. */
  forget(label: string, value: string): void;
}

/** Stands for every value of an open label that has no series of its own. */
export const otherValue = "other";

/**
 * Prometheus takes a limit on the length of labels, and drops the whole scrape beyond it; names of
 * channels and models are shorter.
 */
const labelMax = 200;
const shortenText = (value: string): string =>
  value.length <= labelMax ? value : `${value.slice(0, labelMax - 1).toWellFormed()}…`;

/** `seriesMax` bounds counters and histograms together, and each sampled metric by itself. */
export function createMetricRegistry(seriesMax: number): MetricRegistry {
  const families: MetricFamily[] = [];
  const stores: {
    labels: readonly MetricLabel[];
    series: number;
    children: Map<string, MetricChild<unknown>>;
  }[] = [];
  let generation = 0;
  let seriesCount = 0;
  let droppedCount = 0;

  /** `series` is what one child adds to the exposition. */
  function store<Value>({ labels }: MetricDefinition, series: number, create: () => Value) {
    const children = new Map<string, MetricChild<Value>>();
    stores.push({ labels, series, children });
    const hasOpenLabel = labels.some(({ isOpen }) => isOpen);

    function childOf(given: readonly string[], isBounded: boolean): Value {
      // Values that are alike when they are written are one series, or the whole scrape would be
      // refused.
      const values = given.map((value) => shortenText(value).toWellFormed());
      const key = values.join("\0");
      const known = children.get(key);
      if (known) return known.value;
      if (isBounded && hasOpenLabel && seriesCount + series > seriesMax) {
        droppedCount += 1;
        return childOf(
          values.map((value, place) => (labels[place]?.isOpen ? otherValue : value)),
          false,
        );
      }
      const value = create();
      children.set(key, { labels: [...values], value });
      seriesCount += series;
      return value;
    }
    return { children, child: (...values: readonly string[]) => childOf(values, true) };
  }

  function sampled(definition: MetricDefinition, type: SampledType): SampledMetric {
    let source: () => Iterable<MetricSample> = () => [];
    function* samples(): Generator<MetricSample> {
      let count = 0;
      for (const sample of source()) {
        count += 1;
        if (count <= seriesMax) yield [sample[0].map(shortenText), sample[1]];
        else droppedCount += 1;
      }
    }
    families.push({ definition, type, samples });
    return {
      readFrom(given) {
        source = given;
      },
    };
  }

  return {
    families,
    get generation() {
      return generation;
    },
    get seriesCount() {
      return seriesCount;
    },
    get droppedCount() {
      return droppedCount;
    },
    counter(definition) {
      const { child, children } = store(definition, 1, () => new Counter());
      families.push({ definition, type: "counter", children: () => children.values() });
      return { child };
    },
    histogram(definition) {
      const { bounds } = definition;
      // Beside the buckets: the one without a bound, sum and count.
      const { child, children } = store(definition, bounds.length + 3, () => new Histogram(bounds));
      families.push({ definition, type: "histogram", children: () => children.values() });
      return { child };
    },
    gauge: (definition) => sampled(definition, "gauge"),
    summary: (definition) => sampled(definition, "summary"),
    sampledCounter: (definition) => sampled(definition, "counter"),
    labelValues(label) {
      const values = new Set<string>();
      for (const { labels, children } of stores) {
        const place = labels.findIndex(({ name }) => name === label);
        if (place >= 0)
          for (const child of children.values()) values.add(child.labels[place] ?? otherValue);
      }
      values.delete(otherValue);
      return values;
    },
    forget(label, value) {
      for (const { labels, children, series } of stores) {
        const place = labels.findIndex(({ name }) => name === label);
        if (place < 0) continue;
        for (const [key, child] of children) {
          if (child.labels[place] !== value) continue;
          children.delete(key);
          seriesCount -= series;
        }
      }
      generation += 1;
    },
  };
}
