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

/** Settings that reach every branch of the templates. */
const variants: readonly (readonly string[])[] = [
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
];

function lintWhereInstalled(chart: string): void {
  const helm = (...args: string[]): string => execFileSync("helm", args, { encoding: "utf8" });
  try {
    helm("version");
  } catch {
    console.log("Not linted: helm is not installed.");
    return;
  }
  for (const variant of variants) {
    const settings = variant.flatMap((setting) => ["--set", setting]);
    helm("lint", "--strict", chart, ...settings);
    // Without a cluster, Helm takes the oldest version that it knows.
    helm("template", "tollgate", chart, "--kube-version", "1.30.0", ...settings);
  }
}
