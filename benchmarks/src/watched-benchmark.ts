/**
 * What watching costs a call: the CPU of a gateway with metrics that are scraped, spans, an alert's
 * destination, budgets and tags, each alone and all together, as a ratio to a gateway with all of
 * it off, in the same run. Writes docs/benchmarks.md; with
 * --check it writes nothing. Exits with 1 where all together cost more than 5 %.
 *
 * Two gateways with the same settings differ by up to a tenth, as each compiles its own code: of
 * each kind several run, and their mean counts.
 *
 *   node benchmarks/src/watched-benchmark.ts [--calls 3000] [--streams 1000] [--copies 3] [--rounds 5] [--check]
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { password, type StartedProcess, urlOf, withProcesses } from "./benchmark-processes.ts";
import { median, writeSection } from "./benchmark-report.ts";
import { callCosts, concurrency } from "./call-cost.ts";
import { type OperatorClient, signIn } from "./operator-client.ts";
import { cpuMicros } from "./process-time.ts";

const { values: flags } = parseArgs({
  options: {
    calls: { type: "string", default: "3000" },
    streams: { type: "string", default: "1000" },
    copies: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    check: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const copies = Number(flags.copies);
/** `ratioMax` is that of all together. */
const ratioMax = 1.05;
/** Prometheus scrapes so often by default. */
const scrapedEveryMs = 15_000;
const metricsToken = "a-token-for-prometheus";
const unitsPerDollar = 500_000;

interface Watching {
  what: string;
  env?: Readonly<Record<string, string>>;
  headers?: Record<string, string>;
  isScraped?: true;
  prepare?(operator: OperatorClient): Promise<unknown>;
}

/** `Watched` is one of the gateways with these settings. */
interface Watched extends Watching {
  gateway: StartedProcess;
  operator: OperatorClient;
  key: string;
}

/** `makeBudgets` gives one for each kind of subject, as large as no run can spend. */
async function makeBudgets(operator: OperatorClient, hasTags: boolean): Promise<void> {
  const { id: userId } = await operator.call<{ id: number }>("GET", "/api/user/self");
  const [token] = await operator.call<{ id: number }[]>("GET", "/api/token/");
  const subjects = [
    { subject: "site" },
    { subject: "user", subject_id: userId },
    { subject: "token", subject_id: token?.id },
    { subject: "model", model: "gpt-4o-mini" },
    ...(hasTags ? [{ subject: "tag", tag: "team=search" }] : []),
  ];
  for (const subject of subjects)
    await operator.call("POST", "/api/budget/", {
      ...subject,
      name: subject.subject,
      window: "month",
      amount: 1_000_000 * unitsPerDollar,
    });
}

const metrics = { METRICS_TOKEN: metricsToken };
const tagHeaders = { "x-tollgate-tags": "team=search,env=prod" };
const declareTags = (operator: OperatorClient) =>
  operator.call("PUT", "/api/option/", { key: "TagKeys", value: "team,env" });

const watchings = (collector: string): Watching[] => [
  { what: "everything off" },
  { what: "metrics, scraped", env: metrics, isScraped: true },
  { what: "spans, 1 in 10", env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector } },
  { what: "four budgets", prepare: (operator) => makeBudgets(operator, false) },
  { what: "two tags", headers: tagHeaders, prepare: declareTags },
  {
    what: "everything on",
    env: {
      ...metrics,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      NOTICE_PRIVATE_HOSTS: new URL(collector).host,
    },
    headers: tagHeaders,
    isScraped: true,
    async prepare(operator) {
      await declareTags(operator);
      await makeBudgets(operator, true);
      const webhook = { name: "on call", kind: "webhook", address: `${collector}/hook` };
      await operator.call("POST", "/api/destination/", webhook);
    },
  },
];

await withProcesses(async ({ start, startGateway }) => {
  const upstream = await start("benchmark-upstream.ts");
  const collector = await start("span-sink.ts");
  const watched: Watched[] = [];
  const kinds = watchings(urlOf(collector));
  for (const watching of Array.from({ length: copies }, () => kinds).flat()) {
    const gateway = await startGateway(upstream, watching.env);
    const operator = await signIn(urlOf(gateway), password);
    const key = await operator.prepare(urlOf(upstream));
    await watching.prepare?.(operator);
    watched.push({ ...watching, gateway, operator, key });
  }
  const ending = new AbortController();
  const scrapes = watched
    .filter(({ isScraped }) => isScraped)
    .map(({ gateway }) => scrape(gateway, ending.signal));
  const json = await compare(watched, Number(flags.calls), false);
  const stream = await compare(watched, Number(flags.streams), true);
  ending.abort();
  await Promise.all(scrapes);
  const rows = kinds.map(({ what }, place) => ({
    what,
    json: json[place] ?? [],
    stream: stream[place] ?? [],
  }));
  for (const { what, json: ratios, stream: streamRatios } of rows)
    console.log(
      `${what}: JSON ${median(ratios).toFixed(3)}, streams ${median(streamRatios).toFixed(3)}`,
    );
  const all = rows.at(-1);
  if (Math.max(median(all?.json ?? []), median(all?.stream ?? [])) > ratioMax) process.exitCode = 1;
  if (!flags.check) report(rows);
});

async function scrape(gateway: StartedProcess, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(`${urlOf(gateway)}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    if (!(await response.text()).includes("tollgate_calls_total"))
      throw new Error(`a scrape got ${response.status}`);
    await wait(scrapedEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Of each kind, the ratio of its mean to that of the first kind in every round. */
async function compare(
  watched: readonly Watched[],
  calls: number,
  isStream: boolean,
): Promise<number[][]> {
  const servers = watched.map(({ what, gateway, operator, key, headers }) => ({
    ...{ name: what, url: urlOf(gateway), key, ...(headers && { headers }) },
    micros: () => [cpuMicros(gateway.pid)],
    rest: operator.settled,
  }));
  const costs = await callCosts(servers, { calls, rounds, isStream });
  const kinds = watched.length / copies;
  const sumOf = (kind: number, round: number) =>
    costs.reduce(
      (sum, cost, place) =>
        place % kinds === kind ? sum + (cost.rounds[round]?.[0] ?? Number.NaN) : sum,
      0,
    );
  return Array.from({ length: kinds }, (_kind, kind) =>
    Array.from({ length: rounds }, (_round, round) => sumOf(kind, round) / sumOf(0, round)),
  );
}

function report(
  rows: readonly { what: string; json: readonly number[]; stream: readonly number[] }[],
): void {
  writeSection("Watching", [
    `CPU per call at concurrency ${concurrency}, all threads included, as a ratio to a gateway with everything off in the same run: medians of`,
    `${rounds} rounds, of ${copies} gateways of each kind. The goal of everything together is ${ratioMax} at most. Metrics are scraped every ${scrapedEveryMs / 1_000} s; spans go to a collector that`,
    "only reads them; every budget is hard and applies to each call.",
    "",
    "| What is on | JSON | Stream of 50 events |",
    "|---|---|---|",
    ...rows.map(
      ({ what, json, stream }) =>
        `| ${what} | ${median(json).toFixed(2)} | ${median(stream).toFixed(2)} |`,
    ),
  ]);
}
