/**
 * Programs of other makers that judge what the gateway sends: each is pinned by a file here and
 * made once on a machine.
 */
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Availability } from "../harness/availability.ts";
import { findProgram } from "../harness/find-program.ts";
import { folderOf, madeOnce } from "../harness/made-once.ts";

const run = promisify(execFile);
const here = import.meta.dirname;

export const goAvailable = (): Availability =>
  findProgram(["go"]) ? { available: true } : { available: false, reason: "Go is not installed" };

/** Builds the command `what` of the module in the folder `name`, and returns its path. */
async function buildGo(name: string, files: readonly string[], what: string): Promise<string> {
  const sources = join(here, name);
  const made = folderOf(
    name,
    files.map((file) => join(sources, file)),
  );
  const folder = await madeOnce(made, async (unfinished) => {
    const source = join(unfinished, "source");
    await cp(sources, source, { recursive: true });
    await run("go", ["build", "-o", join(unfinished, name), what], { cwd: source });
  });
  return join(folder, name);
}

/** The OpenTelemetry collector with an OTLP receiver, which prints what it understood. */
export const buildCollector = (): Promise<string> =>
  buildGo("collector", ["go.mod", "go.sum", "main.go"], ".");

/** A server that speaks S3, over a folder. */
export const buildBucketServer = (): Promise<string> =>
  buildGo("bucket", ["go.mod", "go.sum"], "github.com/versity/versitygw/cmd/versitygw");

/** Helm, which lints and renders charts. */
export const buildHelm = (): Promise<string> =>
  buildGo("helm", ["go.mod", "go.sum"], "helm.sh/helm/v3/cmd/helm");

/** OpenTofu, which applies configurations with the provider of this repository. */
export const buildTofu = (): Promise<string> =>
  buildGo("tofu", ["go.mod", "go.sum"], "github.com/opentofu/opentofu/cmd/tofu");

/** Any Python with pip: it only unpacks. */
export const litellmMigrationsAvailable = (): Availability =>
  findProgram(["python3"])
    ? { available: true }
    : { available: false, reason: "Python is not installed" };

/** The statements of LiteLLM's migrations, in the order in which its proxy applies them. */
export async function readLitellmMigrations(): Promise<string[]> {
  const requirements = join(here, "litellm", "requirements.txt");
  const folder = await madeOnce(folderOf("litellm", [requirements]), async (unfinished) => {
    const install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", unfinished];
    await run("python3", [...install, "-r", requirements]);
  });
  return globSync(join(folder, "litellm_proxy_extras/migrations/*/migration.sql"))
    .sort()
    .map((file) => readFileSync(file, "utf8"));
}

export interface JudgeCommand {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** The validator needs a newer Python than Debian 12 has; pyenv keeps several. */
const newPythons = ["python3.12", "python3.13", "python3.14"];
const pyenvFolders = globSync(join(homedir(), ".pyenv/versions/*/bin"));
const newPython = (): string | undefined =>
  newPythons
    .flatMap((name) =>
      [...pyenvFolders, "/usr/local/bin", "/usr/bin"].map((folder) => join(folder, name)),
    )
    .find(existsSync);

export function focusValidatorAvailable(): Availability {
  return newPython() === undefined
    ? { available: false, reason: "Python 3.12 or later is not installed" }
    : { available: true };
}

/** The validator of the FinOps Foundation. */
export async function installFocusValidator(): Promise<JudgeCommand> {
  const requirements = join(here, "focus", "requirements.txt");
  const python = newPython() ?? "";
  const folder = await madeOnce(
    folderOf(`focus-${basename(python)}`, [requirements]),
    async (unfinished) => {
      await run(python, [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        unfinished,
        "-r",
        requirements,
      ]);
    },
  );
  return {
    command: python,
    args: ["-c", "from focus_validator.main import main; main()"],
    env: { ...process.env, PYTHONPATH: folder },
    // It opens its list of currencies below the folder in which it runs.
    cwd: folder,
  };
}
