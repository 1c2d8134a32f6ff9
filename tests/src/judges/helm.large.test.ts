// Helm itself lints and renders the chart: every branch of its templates, and what they must say.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { chartVariants, listSetArguments } from "../../../scripts/helm-chart.ts";
import { findProgram } from "../harness/find-program.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { renderChart } from "../packages/deployments.ts";
import { buildHelm, goAvailable } from "./judge-programs.ts";

const installed = findProgram(["helm"]);
const possible = installed ? ({ available: true } as const) : goAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
/** The first build on a machine takes minutes. */
const buildTimeoutMs = 1_800_000;
const chart = join(repositoryDir, "deploy/helm/tollgate");
const onPostgres = ["database=postgresql", "secretName=tollgate"];
const platform = chartVariants.at(-1) ?? [];

describe.skipIf(!possible.available)(`the chart by Helm${reason}`, () => {
  let helm: string;
  beforeAll(async () => {
    helm = installed ?? (await buildHelm());
  }, buildTimeoutMs);

  // biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, whose shape is asserted
  type Rendered = any;
  const render = (values: readonly string[]): Rendered[] => renderChart(helm, values);
  const find = (kind: string, values: readonly string[]): Rendered =>
    render(values).find((one) => one?.kind === kind);
  const findRefusal = (values: readonly string[]): string => {
    try {
      renderChart(helm, values);
      return "";
    } catch (error) {
      return String((error as { stderr?: unknown }).stderr);
    }
  };

  test.each(chartVariants.map((variant) => [variant]))("it lints strictly with %j", (variant) => {
    const args = ["lint", "--strict", chart, ...listSetArguments(variant)];
    expect(execFileSync(helm, args, { encoding: "utf8" })).toContain("0 chart(s) failed");
  });

  test("as it comes it is one pod on a volume, with no object that a cluster may not know", () => {
    const kinds = render([]).map((one) => one?.kind);
    expect(kinds.filter(Boolean).sort()).toEqual(["Service", "StatefulSet"]);
    const { spec } = find("StatefulSet", []).spec.template;
    expect(spec.serviceAccountName).toBe("default");
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  test("variables come from members of other Secrets, and the program gets no other value", () => {
    const [container] = find("Deployment", platform).spec.template.spec.containers;
    const env = new Map<string, Rendered>(
      container.env.map((one: Rendered) => [one.name, one.valueFrom ?? one.value]),
    );
    expect(env.size).toBe(container.env.length);
    expect(env.get("DATABASE_URL")).toEqual({ secretKeyRef: { name: "db-app", key: "uri" } });
    expect(env.get("MASTER_KEY")).toEqual({ secretKeyRef: { name: "keys", key: "master" } });
    expect(env.get("NODE_NAME")).toEqual({ fieldRef: { fieldPath: "spec.nodeName" } });
    expect(env.get("PUBLIC_URL")).toBe("https://example.com/tools/gate/");
    expect(container.envFrom).toBeUndefined();
    expect(container.volumeMounts).toContainEqual({
      ...{ name: "files", mountPath: "/run/secrets/tollgate", readOnly: true },
    });
  });

  test("the autoscaler owns the number of pods, which the workload then leaves out", () => {
    const { spec } = find("HorizontalPodAutoscaler", platform);
    const workload = find("Deployment", platform);
    expect(spec.scaleTargetRef.name).toBe(workload.metadata.name);
    expect(spec.metrics.map((one: Rendered) => one.resource.name)).toEqual(["cpu", "memory"]);
    expect(workload.spec.replicas).toBeUndefined();
    expect(find("Deployment", [...onPostgres, "replicas=3"]).spec.replicas).toBe(3);
  });

  test("a budget of disruptions is there where there is more than one pod", () => {
    const budget = (values: readonly string[]) => find("PodDisruptionBudget", values)?.spec;
    expect(budget(platform).maxUnavailable).toBe(1);
    expect(budget([...onPostgres, "replicas=3", "podDisruptionBudget.maxUnavailable=34%"])).toEqual(
      expect.objectContaining({ maxUnavailable: "34%" }),
    );
    expect(budget(onPostgres)).toBeUndefined();
    expect(
      budget([...onPostgres, "replicas=3", "podDisruptionBudget.enabled=false"]),
    ).toBeUndefined();
  });

  test("ingress and route lead to the service below the path of publicUrl", () => {
    const { spec: route } = find("HTTPRoute", platform);
    expect(route.parentRefs).toEqual([{ name: "public", namespace: "gateways" }]);
    expect(route.rules[0].matches[0].path).toEqual({ type: "PathPrefix", value: "/tools/gate" });
    const service = find("Service", platform);
    expect(route.rules[0].backendRefs).toEqual([
      { name: service.metadata.name, port: service.spec.ports[0].port },
    ]);
    const path = (values: readonly string[]) =>
      find("Ingress", values).spec.rules[0].http.paths[0].path;
    expect(path(platform)).toBe("/tools/gate");
    expect(path(["ingress.enabled=true", "ingress.host=ai.example.com"])).toBe("/");
  });

  test("labels reach the pod and leave the selector, which cannot change, as it is", () => {
    const { selector, template } = find("Deployment", platform).spec;
    expect(template.metadata.labels).toMatchObject({ ...selector.matchLabels, team: "platform" });
    expect(selector.matchLabels).not.toHaveProperty("team");
    const account = find("ServiceAccount", platform);
    expect(template.spec.serviceAccountName).toBe(account.metadata.name);
    expect(find("ServiceMonitor", platform).metadata.labels).toMatchObject({
      release: "prometheus",
    });
  });

  test.each([
    ["SQLite in several pods", ["replicas=2"]],
    ["an autoscaler on SQLite", ["autoscaling.enabled=true"]],
    [
      "an autoscaler that looks at nothing",
      [...onPostgres, "autoscaling.enabled=true", "autoscaling.targetCpuPercent=0"],
    ],
    ["PostgreSQL without its Secret", ["database=postgresql"]],
    [
      "half of what PostgreSQL needs",
      ["database=postgresql", 'secretVariables={"DATABASE_URL":{"name":"a","key":"b"}}'],
    ],
    ["a route to no gateway", ["route.enabled=true"]],
    ["a monitor without a port", ["metrics.serviceMonitor=true"]],
    ["an address with a query", ["publicUrl=https://example.com/gate?a"]],
    ["a value that does not exist", ["replicaCount=2"]],
  ])("it refuses %s", (_, values) => {
    expect(findRefusal(values)).toMatch(/values don't meet the specifications of the schema/);
  });
});
