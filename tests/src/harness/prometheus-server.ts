// Debian's Prometheus, with the scrape configuration of docs/metrics.md and the rules of
// deploy/prometheus, on a free port.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Availability } from "./availability.ts";
import { startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import { repositoryDir } from "./repository-dir.ts";

const rulesDir = join(repositoryDir, "deploy/prometheus");

export function prometheusAvailable(): Availability {
  return findProgram(["prometheus"]) && findProgram(["promtool"])
    ? { available: true }
    : { available: false, reason: "Prometheus is not installed" };
}

/** Runs `promtool` in the folder of the alert rules. Its output names what it does not accept. */
export function promtool(args: readonly string[], input = ""): { isGood: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync("promtool", args, {
    cwd: rulesDir,
    input,
    encoding: "utf8",
  });
  if (error) throw error;
  return { isGood: status === 0, output: stdout + stderr };
}

export interface PrometheusSample {
  labels: Record<string, string>;
  value: number;
}

export interface PrometheusServer {
  /** The samples of an instant query, which Prometheus must accept. */
  ask(expression: string): Promise<PrometheusSample[]>;
  /** Alert rules by their names: `ok`, or why the last evaluation failed. */
  rules(): Promise<Record<string, string>>;
  /**
   * `lastScrapeErrors` is about the job `tollgate`: "" after a good scrape, else why the last one
   * failed.
   */
  lastScrapeErrors(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Scrapes `target` (host:port) each second, with `bearer` where one is given. */
export async function startPrometheus(target: string, bearer?: string): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-prometheus-"));
  const port = await freePort();
  const scrape = {
    job_name: "tollgate",
    static_configs: [{ targets: [target] }],
    ...(bearer !== undefined && { authorization: { credentials: bearer } }),
  };
  const file = join(folder, "prometheus.yml");
  // JSON is YAML.
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [join(rulesDir, "alerts.yml")],
      scrape_configs: [scrape],
    }),
  );
  const server = startProgram({
    file: "prometheus",
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: { PATH: process.env.PATH },
  });
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    const { status, data, error } = (await reply.json()) as {
      status: string;
      data: never;
      error?: string;
    };
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  };
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/-/ready`);
      if (!ok) throw new Error("Prometheus is not ready");
    });
  } catch (cause) {
    const output = server.output();
    await stop();
    throw new Error(`Prometheus does not answer: ${output}`, { cause });
  }
  return {
    async ask(expression) {
      const { result } = (await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)) as {
        result: { metric: Record<string, string>; value: [number, string] }[];
      };
      return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async rules() {
      const { groups } = (await get("/api/v1/rules")) as {
        groups: { rules: { name: string; health: string; lastError?: string }[] }[];
      };
      return Object.fromEntries(
        groups
          .flatMap((group) => group.rules)
          .map(({ name, health, lastError }) => [name, lastError ?? health]),
      );
    },
    async lastScrapeErrors() {
      const { activeTargets } = (await get("/api/v1/targets")) as {
        activeTargets: { lastScrape: string; lastError: string }[];
      };
      // A target that was not scraped yet has the first moment of the calendar.
      return activeTargets
        .filter(({ lastScrape }) => !lastScrape.startsWith("0001"))
        .map(({ lastError }) => lastError);
    },
    stop,
  };
}
