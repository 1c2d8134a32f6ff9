// docs/metrics.md is made of the metrics that exist, with the labels that each has.
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { createGatewayMetrics, labelMeanings } from "./gateway-metrics.ts";

const families = createGatewayMetrics().registry.families;

const ofSite = families.flatMap(({ definition: { name, isOfSite } }) =>
  isOfSite ? [`\`${name}\``] : [],
);

const introduction = `# Metrics

<!-- Written by gateway/src/telemetry/metrics-page.test.ts from the metrics themselves: run it with -u after a change. -->

The gateway counts what it does in memory and shows it to Prometheus at \`GET /metrics\`. Names and labels are a contract: one is
renamed only by a release that has both. Values of no user, mail address, end user, tag or URL are ever a label, and what a client
invents is none: an unknown model is \`other\`.

## Who may read them

By default, \`/metrics\` is an address that does not exist. Each of these opens it:

| Set | Then |
|---|---|
| \`METRICS_PORT=9464\` | A listener of its own on \`METRICS_HOST\`, by default \`127.0.0.1\`, without a password: the network guards it |
| \`METRICS_TOKEN=…\` | \`/metrics\` on the main port, for a request with \`Authorization: Bearer …\` |
| A management key with the scope \`metrics:read\` | The same, with the key as the bearer token. Administrators make one in the console, under Account |

On the main port a request without the right to read gets the 404 of an unknown address, also from the same machine, and ten scrapes
a minute from one address are answered.

\`\`\`yaml
scrape_configs:
  - job_name: tollgate
    static_configs: [{ targets: ["127.0.0.1:9464"] }]
\`\`\`

Settings → System → Metrics and traces shows root where the metrics are, how many series there are, what became of spans, and this
configuration with the addresses of the installation, a port for each process (\`GET /api/option/telemetry\`). The main port is shown at
\`PUBLIC_URL\`, or at the address of the page, and a listener at every address (\`METRICS_HOST=0.0.0.0\`) at its host.

## Several processes and nodes

Each process counts what it did itself, from 0 after a start, and is a target of its own: with \`serve --processes 4\` and
\`METRICS_PORT=9464\` they are 9464 to 9467. The main port, which they share, does not serve metrics then. Counters are summed over
the targets. Values of the whole site (${ofSite.join(", ")}) are the same on each node: take the maximum.

A scrape never reads the database. What is in the database or on the disk is read every 15 seconds, from the first scrape on or, with
\`METRICS_PORT\` or \`METRICS_TOKEN\`, from the start; \`tollgate_site_gauges_age_seconds\` is its age.

## How many series

\`METRICS_SERIES_MAX\` (10,000) bounds the series of counters and histograms. Beyond it, new values of the labels model, channel,
group and token are counted as \`other\`, and \`tollgate_metric_series_dropped_total\` rises. The series of a deleted channel end
after an hour. \`METRICS_LABELS=group,token\` adds these labels to calls, tokens and charges: with \`token\`, as many series as keys
that make calls.

## Names of others

\`process_*\` and \`nodejs_*\` have the names of Prometheus's clients, so that dashboards for Node.js show them. With
\`METRICS_GEN_AI=true\` calls are counted a second time by OpenTelemetry's conventions for generative AI (\`gen_ai_client_*\`, with the bounds
that these name), for dashboards over several sources: up to 70 series for each operation, provider and model. A call that no provider was asked
for is in none of them, and neither is the model that a provider answered with: what a client asked for and a channel serves is
\`gen_ai_request_model\`.

## Dashboards and alerts

[deploy/grafana](../deploy/grafana) has three dashboards to import: overview, channels, money.
[deploy/prometheus/alerts.yml](../deploy/prometheus/alerts.yml) has alert rules for a job named \`tollgate\`; each says what to do.

\`\`\`yaml
rule_files: [alerts.yml]
\`\`\`
`;

function page(): string {
  const rows = families.map(({ definition: { name, labels, help }, type }) => {
    const names = labels.map((label) => `\`${label.name}\``).join(", ");
    return `| \`${name}\` | ${type} | ${names === "" ? "–" : names} | ${help} |`;
  });
  const used = new Set(
    families.flatMap(({ definition }) => definition.labels.map(({ name }) => name)),
  );
  const meanings = Object.entries(labelMeanings).filter(
    ([name]) => used.has(name) || name === "token",
  );
  return [
    introduction,
    "## The metrics",
    "",
    "| Metric | Type | Labels | Meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## The labels",
    "",
    "| Label | Values |",
    "|---|---|",
    ...meanings.map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    "",
  ].join("\n");
}

test("the page lists the metrics that exist", async () => {
  await expect(page()).toMatchFileSnapshot(join(repositoryDir, "docs/metrics.md"));
});

test("names follow Prometheus's conventions, and every label is explained", () => {
  const names = families.map(({ definition }) => definition.name);
  expect(new Set(names).size).toBe(names.length);
  for (const { definition, type } of families) {
    const { name, labels } = definition;
    expect(name).toMatch(/^(tollgate|process|nodejs|gen_ai)_[a-z_0-9]+$/);
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    expect(name).not.toMatch(/_(ms|us|kb|mb|count|sum|bucket)$/);
    for (const label of labels) expect(labelMeanings, name).toHaveProperty(label.name);
  }
});

test("no label is a person, an address or a credential", () => {
  const labels = families.flatMap(({ definition }) => definition.labels.map(({ name }) => name));
  expect(labels.filter((label) => /user|mail|key|url|address|tag|ip/.test(label))).toEqual([]);
});
