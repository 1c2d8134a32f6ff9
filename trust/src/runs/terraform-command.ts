/** OpenTofu or Terraform with the provider of this repository, in a folder of its own. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { buildTofu } from "@tollgate/tests/judges/judge-programs.ts";

export interface TofuOutput {
  code: number;
  /** Standard output and standard error, in this order. */
  text: string;
}

/** A gateway that asks for patience is waited for, so this is longer than a minute. */
const commandTimeoutMs = 300_000;
const outputMax = 64 * 1024 * 1024;

function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<TofuOutput> {
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { cwd, env, timeout: commandTimeoutMs, maxBuffer: outputMax },
      (error, out, said) => {
        const code = error ? (typeof error.code === "number" ? error.code : 1) : 0;
        resolve({ code, text: `${out}${said}` });
      },
    );
  });
}

export type Tofu = (...args: string[]) => Promise<TofuOutput>;

/** OpenTofu is built here; Terraform must be on PATH. */
export type TofuProgram = "tofu" | "terraform";

export const isTofuProgram = (name: string): name is TofuProgram =>
  name === "tofu" || name === "terraform";

/** Throws what Go says of the provider. */
async function runGo(...args: string[]): Promise<void> {
  const cwd = join(repositoryDir, "terraform");
  const { code, text } = await runProgram("go", args, { cwd, env: process.env });
  if (code !== 0) throw new Error(`go ${args.join(" ")}: ${text}`);
}

/**
 * Tests and builds the provider; `env` says which gateway, and holds the variables of the
 * configuration.
 */
export async function openTofu(
  name: TofuProgram,
  folder: string,
  env: Record<string, string>,
): Promise<Tofu> {
  const plugins = join(folder, "plugins");
  await mkdir(plugins);
  await runGo("vet", "./...");
  await runGo("test", "./...");
  await runGo("build", "-o", join(plugins, "terraform-provider-tollgate"), ".");
  const program = name === "tofu" ? await buildTofu() : name;
  const settings = join(folder, "tofu.rc");
  await writeFile(
    settings,
    `provider_installation {\n  dev_overrides { "tollgate/tollgate" = "${plugins}" }\n  direct {}\n}\n`,
  );
  return (...args) =>
    runProgram(program, [...args], {
      cwd: folder,
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, TF_IN_AUTOMATION: "1" },
        ...{ TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: "1", ...env },
      },
    });
}
