/** The Helm chart of deploy/helm as one archive. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ImageSources } from "./oci-image.ts";
import { tarOf } from "./tar-archive.ts";

/**
 * Returns the path of the archive. Throws where Helm is installed and finds fault with the chart.
 */
export async function buildHelmChart(
  { root, version, createdAt }: ImageSources,
  outDir: string,
): Promise<string> {
  const charts = join(root, "deploy/helm");
  lintWhereInstalled(join(charts, "tollgate"));
  const file = join(outDir, `tollgate-chart-${version}.tgz`);
  writeFileSync(file, gzipSync(await tarOf(charts, createdAt, "0", ["tollgate"])));
  return file;
}

/** Settings that reach every branch of the templates; a value in braces is JSON. */
export const chartVariants: readonly (readonly string[])[] = [
  [],
  [
    "database=postgresql",
    "secretName=tollgate",
    "replicas=3",
    "publicUrl=https://ai.example.com",
    "env.LOG_LEVEL=warn",
  ],
  [
    "ingress.enabled=true",
    "ingress.host=ai.example.com",
    "ingress.tlsSecretName=tls",
    "ingress.className=nginx",
  ],
  ["metrics.port=9464", "metrics.serviceMonitor=true", "persistence.storageClass=fast"],
  [
    "database=postgresql",
    'secretVariables={"DATABASE_URL":{"name":"db-app","key":"uri"},"MASTER_KEY":{"name":"keys","key":"master"}}',
    "publicUrl=https://example.com/tools/gate/",
    "autoscaling.enabled=true",
    "autoscaling.targetMemoryPercent=80",
    "serviceAccount.create=true",
    'serviceAccount.annotations={"eks.amazonaws.com/role-arn":"arn:aws:iam::1:role/gate"}',
    "route.enabled=true",
    'route.parentRefs=[{"name":"public","namespace":"gateways"}]',
    'route.hostnames=["example.com"]',
    "ingress.enabled=true",
    "ingress.host=example.com",
    'extraEnv=[{"name":"NODE_NAME","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}]',
    'extraVolumes=[{"name":"files","secret":{"secretName":"files"}}]',
    'extraVolumeMounts=[{"name":"files","mountPath":"/run/secrets/tollgate","readOnly":true}]',
    'podLabels={"team":"platform"}',
    'podAnnotations={"note":"here"}',
    'service.annotations={"note":"here"}',
    'route.annotations={"note":"here"}',
    "priorityClassName=high",
    'topologySpreadConstraints=[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}]',
    "metrics.port=9464",
    "metrics.serviceMonitor=true",
    "metrics.interval=15s",
    'metrics.serviceMonitorLabels={"release":"prometheus"}',
  ],
];

/** `listSetArguments` gives the options of Helm for values such as `name=value`. */
export const listSetArguments = (values: readonly string[]): string[] =>
  values.flatMap((value) => [/=[{[]/.test(value) ? "--set-json" : "--set", value]);

function lintWhereInstalled(chart: string): void {
  const helm = (...args: string[]): string => execFileSync("helm", args, { encoding: "utf8" });
  try {
    helm("version");
  } catch {
    console.log("Not linted: helm is not installed.");
    return;
  }
  for (const variant of chartVariants) {
    const settings = listSetArguments(variant);
    helm("lint", "--strict", chart, ...settings);
    // Without a cluster, Helm takes the oldest version that it knows.
    helm("template", "tollgate", chart, "--kube-version", "1.30.0", ...settings);
  }
}
