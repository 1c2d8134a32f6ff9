// The tests of the Terraform provider, which are Go's own. They run where Go is and has the
// provider's packages already; `npm run trust -- terraform` fetches them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryDir } from "../harness/repository-dir.ts";
import { goAvailable } from "../judges/judge-programs.ts";

const cwd = join(repositoryDir, "terraform");
/** Without what was compiled before: more than a minute of two processors. */
const goTimeoutMs = 600_000;

function runGo(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync("go", args, {
    ...{ cwd, encoding: "utf8", env: { ...process.env, ...env } },
    timeout: goTimeoutMs,
  });
  return { status, text: `${stdout}${stderr}` };
}

const hasPackages = (): boolean =>
  runGo(["list", "-deps", "-test", "./..."], { GOPROXY: "off" }).status === 0;

test("the page names the Go that the provider asks for", () => {
  const [, version] = /^go (\d+\.\d+)/m.exec(readFileSync(join(cwd, "go.mod"), "utf8")) ?? [];
  const page = readFileSync(join(repositoryDir, "docs/terraform.md"), "utf8");
  expect(page).toContain(`Build it with Go ${version} or newer`);
});

if (goAvailable().available && hasPackages())
  test.each([["vet"], ["test"]])(
    "go %s finds nothing wrong with the provider",
    (command) => {
      const { status, text } = runGo([command, "./..."]);
      expect(text).not.toContain("FAIL");
      expect(status, text).toBe(0);
    },
    goTimeoutMs,
  );
