// Installs the agents of tests/src/conformance/agents/recipe-versions.json and plays the console's
// recipe of each over a channel of each dialect, for `npm run trust -- agents`.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentDialect,
  agentDialects,
} from "@tollgate/tests/conformance/agents/agent-dialects.ts";
import { agentRecipes } from "@tollgate/tests/conformance/agents/agent-recipes.ts";
import type { AgentTrouble } from "@tollgate/tests/conformance/agents/agent-troubles.ts";
import {
  type InstalledAgents,
  playRecipes,
  type RecipeOutcome,
} from "@tollgate/tests/conformance/agents/run-recipes.ts";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";

interface AgentVersions {
  npm: Record<string, string>;
  pypi: Record<string, string>;
}

const versionsFile = join(repositoryDir, "tests/src/conformance/agents/recipe-versions.json");

export const readVersions = (): AgentVersions =>
  JSON.parse(readFileSync(versionsFile, "utf8")) as AgentVersions;

/** Asks the registries for the newest versions and writes them into the file. */
export function writeNewestVersions(): void {
  const { npm, pypi } = readVersions();
  const newestNpm = (name: string): string =>
    execFileSync("npm", ["view", name, "version"], { encoding: "utf8" }).trim();
  const newestPypi = (name: string): string => {
    const listed = execFileSync("python3", ["-m", "pip", "index", "versions", name], {
      encoding: "utf8",
    });
    return /\(([^)]+)\)/.exec(listed)?.[1] ?? pypi[name] ?? "";
  };
  const newest: AgentVersions = {
    npm: Object.fromEntries(Object.keys(npm).map((name) => [name, newestNpm(name)])),
    pypi: Object.fromEntries(Object.keys(pypi).map((name) => [name, newestPypi(name)])),
  };
  writeFileSync(versionsFile, `${JSON.stringify(newest, null, 2)}\n`);
}

/** Into a folder that stays for the next run; what is installed already is left as it is. */
export async function installAgents(folder: string): Promise<InstalledAgents> {
  const { npm, pypi } = readVersions();
  await mkdir(folder, { recursive: true });
  const manifest = { name: "agents", private: true, dependencies: npm };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  const venv = join(folder, "python");
  execFileSync("python3", ["-m", "venv", venv]);
  const pinned = Object.entries(pypi).map(([name, version]) => `${name}==${version}`);
  execFileSync(join(venv, "bin/pip"), ["install", "--quiet", ...pinned], { stdio: "inherit" });
  return {
    bins: [
      join(folder, "node_modules/.bin"),
      // The package @kilocode/cli only looks for this one.
      join(folder, "node_modules/@kilocode/cli-linux-x64/bin"),
      join(venv, "bin"),
    ],
  };
}

interface ChosenRecipes {
  /** A part of the names of agents; empty for all. */
  agent: string;
  dialect: string;
  trouble: AgentTrouble;
}

export async function playAllRecipes(
  installed: InstalledAgents,
  { agent, dialect, trouble }: ChosenRecipes,
  isStopped: () => boolean,
): Promise<RecipeOutcome[]> {
  const wanted = agentRecipes.filter(({ name }) =>
    name.toLowerCase().includes(agent.toLowerCase()),
  );
  const outcomes: RecipeOutcome[] = [];
  for (const spoken of agentDialects) {
    if (isStopped() || (dialect !== "" && spoken !== (dialect as AgentDialect))) continue;
    outcomes.push(
      ...(await playRecipes(
        spoken,
        installed,
        wanted,
        ({ agent: name, failure, calls }) =>
          console.log(
            `${name} over ${spoken}: ${failure === "" ? `done in ${calls} calls` : `FAILED: ${failure}`}`,
          ),
        trouble,
      )),
    );
  }
  return outcomes;
}
