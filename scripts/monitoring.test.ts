// deploy/grafana and deploy/prometheus are made of the lists here: run with -u after a change.
// Every query names what exists.
import { join } from "node:path";
import { createGatewayMetrics } from "@tollgate/gateway/telemetry/gateway-metrics.ts";
import { expect, test } from "vitest";
import { alertRules, alertRulesYaml, alertTestsYaml } from "./alert-rules.ts";
import { dashboardJson, dashboards } from "./dashboards.ts";

const deploy = join(import.meta.dirname, "../deploy");
const { families } = createGatewayMetrics().registry;
const labelsOf = new Map(
  families.map(({ definition: { name, labels }, type }) => [
    name,
    { type, labels: labels.map((label) => label.name) },
  ]),
);
/** `targetLabels` are what Prometheus adds to each sample by itself. */
const targetLabels = ["instance", "job"];

const expressions = [
  ...alertRules.map(({ name, expression }) => ({ where: name, expression })),
  ...dashboards.flatMap(({ name, panels }) =>
    panels.flatMap(({ title, queries }) =>
      queries.map(({ expression }) => ({ where: `${name}: ${title}`, expression })),
    ),
  ),
];

test.each(dashboards)("the dashboard $name is made of its panels", async (dashboard) => {
  await expect(dashboardJson(dashboard)).toMatchFileSnapshot(
    join(deploy, `grafana/${dashboard.name}.json`),
  );
});

test("the alert rules, and what promtool tries on them, are made of their list", async () => {
  await expect(alertRulesYaml()).toMatchFileSnapshot(join(deploy, "prometheus/alerts.yml"));
  await expect(alertTestsYaml()).toMatchFileSnapshot(join(deploy, "prometheus/alerts-test.yml"));
});

test("every query names metrics that exist, histograms by their samples, and labels that they have", () => {
  for (const { where, expression } of expressions) {
    const found = [
      ...expression.matchAll(/\b((?:tollgate|process)_\w+?)(_bucket)?\b(?:\{([^}]*)\})?/g),
    ];
    expect(found.length + Number(expression.startsWith("up{")), where).toBeGreaterThan(0);
    const known = found.flatMap(([, name = "", bucket, matchers = ""]) => {
      const metric = labelsOf.get(name);
      expect(metric, `${where}: ${name}`).toBeDefined();
      expect(bucket !== undefined, `${where}: ${name}`).toBe(metric?.type === "histogram");
      const labels = [...(metric?.labels ?? []), ...targetLabels];
      for (const [, label = ""] of matchers.matchAll(/(\w+)=/g))
        expect(labels, `${where}: ${name}`).toContain(label);
      return labels;
    });
    for (const [, names = ""] of expression.matchAll(/(?:by|on|group_left) \(([\w, ]+)\)/g))
      for (const name of names.split(", ")) expect([...known, "le"], where).toContain(name);
  }
});

test("a rate is asked of counters alone, and what the whole site shares is never summed over nodes", () => {
  const ofSite = families.flatMap(({ definition: { name, isOfSite } }) => (isOfSite ? [name] : []));
  const shared = new RegExp(`sum[^(]*\\((?:${ofSite.join("|")})`);
  for (const { where, expression } of expressions) {
    for (const [, name = ""] of expression.matchAll(
      /(?:rate|increase)\(((?:tollgate|process)_\w+?)(?:_bucket)?[{[]/g,
    ))
      expect(["counter", "histogram"], where).toContain(labelsOf.get(name)?.type);
    expect(expression, where).not.toMatch(shared);
  }
});

test("an alert says what happens and what to do", () => {
  for (const { name, summary, action } of alertRules) {
    expect(summary, name).toMatch(/\.$/);
    expect(action.length, name).toBeGreaterThan(40);
  }
});
