// What stops the gateway from outside waits longer than the gateway's own grace for running calls,
// and what reloads it names the same file as the start.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { readSettings } from "@tollgate/gateway/config/config.ts";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const { parse } = createRequire(join(root, "gateway/package.json"))(
  "yaml",
) as typeof import("yaml");
const marginSeconds = 15;
const graceSeconds = readSettings({}).shutdownGraceMs / 1000;

test("the systemd unit waits for running calls", () => {
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read("deploy/debian/tollgate.service")) ?? [];
  expect(Number(seconds)).toBe(graceSeconds + marginSeconds);
});

test("a reload of the systemd unit reads anew what its start read", () => {
  const unit = read("deploy/debian/tollgate.service");
  expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
  const [, file] = /^EnvironmentFile=(\S+)$/m.exec(unit) ?? [];
  expect(unit).toContain(`\nEnvironment=ENVIRONMENT_FILE=${file}\n`);
});

test("the compose file waits for running calls", () => {
  const { services } = parse(read("deploy/compose.yaml")) as {
    services: { tollgate: { stop_grace_period: string } };
  };
  expect(services.tollgate.stop_grace_period).toBe(`${graceSeconds + marginSeconds}s`);
});

test("the chart gives the gateway its usual grace, and the pod longer than that", () => {
  const values = parse(read("deploy/helm/tollgate/values.yaml")) as {
    shutdownGraceSeconds: number;
  };
  expect(values.shutdownGraceSeconds).toBe(graceSeconds);
  const workload = read("deploy/helm/tollgate/templates/workload.yaml");
  expect(workload).toContain(
    `terminationGracePeriodSeconds: {{ add .Values.shutdownGraceSeconds ${marginSeconds} }}`,
  );
});
